/** The content of a response: JSON, text, or a file. */
import { parseJson } from '../input/values';

export class FileContent {
  constructor(
    readonly data: Buffer,
    readonly mimeType: string,
    readonly disposition: string,
  ) {}
}

export const PDF_MIME_TYPE = 'application/pdf';

/** Checks the first bytes, because a PDF may have a wrong content type. */
export const isPdf = (data: Buffer): boolean => data.subarray(0, 5).toString('latin1') === '%PDF-';

/** A PDF begins with "%PDF-", which is `JVBERi` in base64. */
export const isBase64Pdf = (text: string): boolean => text.startsWith('JVBERi');

/**
 * Converts JSON to a value, and a PDF or any type that is not text to a `FileContent`. Other text stays text,
 * and counts as a failure. The spec does not show responses with files. See silences.md: `pdfResponse`.
 */
export function parseContent(headers: Record<string, string>, bytes: unknown): unknown {
  if (!(bytes instanceof Uint8Array)) return bytes;
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const contentType = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  const mimeType = isPdf(data) ? PDF_MIME_TYPE : contentType;
  const isText = mimeType === '' || mimeType.startsWith('text/') || mimeType.endsWith('json');
  const disposition = headers['content-disposition'] ?? '';
  if (!isText) return new FileContent(data, mimeType, disposition);
  const text = data.toString('utf8');
  const parsed = parseJson(text);
  const content = parsed === undefined ? text : parsed;
  return typeof content === 'string' && isBase64Pdf(content)
    ? new FileContent(Buffer.from(content, 'base64'), PDF_MIME_TYPE, disposition)
    : content;
}
