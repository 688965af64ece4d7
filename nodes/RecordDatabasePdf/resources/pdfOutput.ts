import type { IBinaryKeyData, IDataObject, INodeProperties } from 'n8n-workflow';
import { redact } from '../../client/errors/apiError';
import { parseFileName } from '../../client/files/downloadUrl';
import { getSecrets } from '../../client/http/credential';
import { FileContent, PDF_MIME_TYPE } from '../../client/http/response';
import { downloadGeneratedFile, fileOptions, storeResponseFile } from '../../n8n/files/binaryOutput';
import type { Item } from '../../n8n/operation/item';
import { type Output, toOutputs } from '../../n8n/operation/operation';
import { createOptions, defineParameter } from '../../n8n/parameters/parameter';
import { findFileName, findPdf, removeFileText } from './findPdf';

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

/** Removes secrets from a URL for error messages: the query string, the user info and the credential's keys. */
const redactUrl = (item: Item, address: string): string =>
  redact(address.replace(/[?#].*$/s, '').replace(/\/\/[^/@]*@/, '//'), getSecrets(item.client.credential));

/**
 * Converts the response of a PDF operation to output items. The spec does not show the response: it may be the file,
 * base64 or a URL. The file becomes binary data; any other response is returned unchanged, with a hint. Each entry of
 * a list is converted separately.
 * @param title the file name if neither the form nor the service gives one
 */
export async function buildPdfOutput(item: Item, body: unknown, title = 'document'): Promise<Output[]> {
  const wanted = item.readOption(fileNameOption);
  if (body instanceof FileContent) {
    const stated = parseFileName(body.disposition);
    const name = toFileName(wanted || (/\.[a-z0-9]{2,4}$/i.test(stated) ? stated : title));
    const binary = await storeResponseFile(item, body.data, name, body.mimeType);
    return [{ json: { fileName: name, mimeType: body.mimeType, bytes: body.data.length }, binary }];
  }
  if (Array.isArray(body)) {
    const outputs: Output[] = [];
    for (const one of body) outputs.push(...(await buildPdfOutput(item, one, title)));
    return outputs;
  }
  const stated = wanted || findFileName(body);
  const pdf = findPdf(body);
  if (pdf && 'data' in pdf) {
    const binary = await storeResponseFile(item, pdf.data, toFileName(stated || title), PDF_MIME_TYPE);
    return [{ json: removeFileText(body, pdf.text) as IDataObject, binary }];
  }
  if (pdf) {
    const binary = await downloadGeneratedFile(item, pdf.url, {
      message: 'The PDF was created, but could not be downloaded',
      description: `The service returned the URL ${redactUrl(item, pdf.url)}.`,
    });
    if (!hasNonPdfFile(binary)) {
      if (stated) for (const file of Object.values(binary)) file.fileName = toFileName(stated);
      return [{ json: body as IDataObject, binary }];
    }
  }
  item.client.notices.addHint(NO_PDF_HINT);
  return toOutputs(body);
}
