/**
 * The answer to the creation of a PDF, as items. `buildPdfOutput` stores the PDF in the answer, or at its URL, as binary
 * data.
 */
import type { IBinaryKeyData, IDataObject, INodeProperties } from 'n8n-workflow';
import {
  downloadGeneratedFile,
  fileOptions,
  readMaxMegabytes,
  storeResponseFile,
} from '../../n8n/files/binaryOutput';
import type { Item } from '../../n8n/operation/item';
import { type Output, toOutputs } from '../../n8n/operation/operation';
import { createOptions, defineParameter } from '../../n8n/parameters/parameter';
import { findPdf } from '../../service';

/**
 * Converts the response of a PDF operation to output items. The PDF becomes binary data; an answer without one is returned
 * unchanged, with a hint. Each entry of a list is converted separately.
 * @param title the file name if neither the form nor the service gives one
 */
export async function buildPdfOutput(item: Item, body: unknown, title = 'document'): Promise<Output[]> {
  if (Array.isArray(body)) {
    const outputs: Output[] = [];
    for (const one of body) outputs.push(...(await buildPdfOutput(item, one, title)));
    return outputs;
  }
  const pdf = findPdf(item.client, body, readMaxMegabytes(item));
  const stated = item.readOption(fileNameOption) || pdf?.fileName;
  if (pdf && 'data' in pdf) {
    const { data, mimeType } = pdf;
    const fileName = toFileName(stated || title);
    const json = pdf.rest ?? { fileName, mimeType, bytes: data.length };
    return [{ json: json as IDataObject, binary: await storeResponseFile(item, data, fileName, mimeType) }];
  }
  if (pdf) {
    const binary = await downloadGeneratedFile(item, pdf.url, {
      message: 'The PDF was created, but could not be downloaded',
      description: `The service returned the URL ${pdf.shownUrl}.`,
    });
    if (!hasNonPdfFile(binary)) {
      if (stated) for (const file of Object.values(binary)) file.fileName = toFileName(stated);
      return [{ json: body as IDataObject, binary }];
    }
  }
  item.client.notices.addHint(NO_PDF_HINT);
  return toOutputs(body);
}

const fileNameOption = defineParameter({
  displayName: 'File Name',
  name: 'fileName',
  type: 'string',
  default: '',
  placeholder: 'e.g. invoice.pdf',
  description: 'The name of the PDF file. Without this option, the name that the service gives.',
});

export const pdfOptions: INodeProperties = createOptions(fileNameOption, ...fileOptions);

/** A name without path separators, which would cut it, and with an extension. */
function toFileName(name: string): string {
  const plain = name.trim().replace(/[/\\]/g, '-');
  return /\.[a-z0-9]{2,4}$/i.test(plain) ? plain : `${plain}.pdf`;
}

const NO_PDF_HINT =
  'The service answered without a PDF that could be recognised, so there is no binary data. Its answer is in the output.';

/** Content types of downloads that are not the PDF: HTML pages, error messages, images and office documents. */
const NON_PDF_TYPE =
  /^(text|image|audio|video)\/|html|json|officedocument|opendocument|msword|ms-(excel|powerpoint)/i;
const hasNonPdfFile = (files: IBinaryKeyData) =>
  Object.values(files).some(({ mimeType }) => NON_PDF_TYPE.test(mimeType));
