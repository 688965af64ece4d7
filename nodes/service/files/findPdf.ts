import { omitBy } from 'lodash';
import { MEGABYTE } from '../http/client';
import { FileContent, isBase64Pdf, PDF_MIME_TYPE } from '../http/parseContent';
import { asObject } from '../input/values';
import { unwrapItem } from '../responses/schemas';
import { parseFileName } from './downloadUrl';
import { createEmptyFileError, createFileTooLargeError } from './openDownload';

interface PdfContent {
  data: Buffer;
  mimeType: string;
  fileName?: string;
  /** The answer without the PDF. Undefined if the PDF is the whole answer. */
  rest?: object;
}

const isText = (value: unknown): value is string => typeof value === 'string';

/**
 * Finds the PDF in the answer to a call that creates one: the file itself, or base64 or an http(s) address in the
 * answer (evidence 22). Of several addresses, any could be the PDF. See silences.md: `pdfResponse`.
 * @example
 * const { body } = await client.call(pdfPageEndpoints.create, { path: { pdfPageId, recordId }, mayBeFile: true });
 * findPdf(body, 100); // { data, mimeType: 'application/pdf', fileName: 'invoice.pdf' }
 * @returns undefined for no PDF, or for several addresses
 * @throws ApiError for a file that is empty, or larger than `maxMegabytes`
 */
export function findPdf(body: unknown, maxMegabytes: number): PdfContent | { url: string } | undefined {
  if (body instanceof FileContent) {
    const { data, mimeType, disposition } = body;
    ensureFileSize(data, maxMegabytes);
    const statedName = parseFileName(disposition);
    return { data, mimeType, fileName: statedName === 'file' ? undefined : statedName };
  }
  const answer = asObject(unwrapItem(body));
  const texts = Object.values(answer).filter(isText);
  const encoded = texts.find(isBase64Pdf);
  if (encoded !== undefined) {
    const data = Buffer.from(encoded, 'base64');
    ensureFileSize(data, maxMegabytes);
    return { data, mimeType: PDF_MIME_TYPE, rest: omitBy(answer, (value) => value === encoded) };
  }
  const [url, ...others] = new Set(texts.filter((text) => /^https?:\/\//i.test(text)));
  return url === undefined || others.length > 0 ? undefined : { url };
}

function ensureFileSize({ length }: Buffer, maxMegabytes: number): void {
  if (length === 0) throw createEmptyFileError();
  if (length > maxMegabytes * MEGABYTE) throw createFileTooLargeError(maxMegabytes * MEGABYTE);
}
