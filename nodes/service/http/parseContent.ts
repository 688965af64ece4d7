/**
 * The body of a response: JSON, text or a file.
 */

/** A response that is a file, with the properties that its headers give. */
export class FileContent {
  constructor(
    readonly data: Buffer,
    readonly mimeType: string,
    readonly disposition: string,
  ) {}
}

export const PDF_MIME_TYPE = 'application/pdf';

/** Checks the first bytes, because a PDF may be sent with a wrong content type. */
export const isPdf = (data: Buffer): boolean => data.subarray(0, 5).toString('latin1') === '%PDF-';

/**
 * Parses the bytes of a response. JSON is parsed, other text is returned as text (it is not a success), and a
 * PDF or any other type is returned as a file. The spec says that responses are JSON but does not show the
 * responses that contain files.
 * Open point: `pdfResponse`.
 */
export function parseContent(headers: Record<string, string>, bytes: unknown): unknown {
  if (!(bytes instanceof Uint8Array)) return bytes;
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const contentType = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  const mimeType = isPdf(data) ? PDF_MIME_TYPE : contentType;
  const isText = mimeType === '' || mimeType.startsWith('text/') || mimeType.endsWith('json');
  if (!isText) return new FileContent(data, mimeType, headers['content-disposition'] ?? '');
  const text = data.toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
