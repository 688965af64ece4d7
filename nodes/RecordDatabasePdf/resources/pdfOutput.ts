/** The creation of a PDF, and its options. */
import type { IDataObject, INodeProperties } from 'n8n-workflow';
import {
  downloadGeneratedFile,
  fileOptions,
  readMaxMegabytes,
  buildFileName,
  toBinaryOutput,
} from '../../n8n/files/binaryOutput';
import type { Item } from '../../n8n/operation/item';
import { type Output, toOutputs } from '../../n8n/operation/operation';
import { createOptions, defineParameter } from '../../n8n/parameters/parameter';
import { type CallOptions, type Endpoint, findPdf } from '../../service';

const fileNameOption = defineParameter({
  displayName: 'File Name',
  name: 'fileName',
  type: 'string',
  default: '',
  placeholder: 'e.g. invoice.pdf',
  description: 'The name of the PDF file. Without this option, the name that the service gives.',
});

export const pdfOptions: INodeProperties = createOptions(fileNameOption, ...fileOptions);

/** @param title the file name if neither the form nor the service gives one */
export async function createPdf(
  item: Item,
  endpoint: Endpoint,
  call: CallOptions,
  title = 'document',
): Promise<Output[]> {
  const maxFileMegabytes = readMaxMegabytes(item);
  const { body } = await item.client.call(endpoint, { ...call, mayBeFile: true, maxFileMegabytes });
  item.hasStarted = true;
  const pdf = findPdf(body, maxFileMegabytes);
  const chosenName = item.readOption(fileNameOption);
  const name = !chosenName || /\.pdf$/i.test(chosenName) ? chosenName : `${chosenName}.pdf`;
  if (!pdf) {
    item.client.notices.addHint(
      'The service answered without a PDF that could be recognised, so there is no binary data. Its answer is in the output.',
    );
    return toOutputs(body);
  }
  if ('url' in pdf) {
    const generated = {
      message: 'The PDF was created, but could not be downloaded',
      description: `The service returned the URL ${pdf.url.replace(/[?#].*$/s, '')}.`,
    };
    return [
      { json: body as IDataObject, binary: await downloadGeneratedFile(item, pdf.url, generated, name) },
    ];
  }
  const { data, mimeType } = pdf;
  const fileName = buildFileName('.pdf', name || pdf.fileName || title);
  const json = (pdf.rest ?? { fileName, mimeType, bytes: data.length }) as IDataObject;
  const file = await item.context.helpers.prepareBinaryData(data, fileName, mimeType);
  return [{ json, binary: toBinaryOutput(item, file) }];
}
