/** Asked for where an answer may be a file. */
export const FILE_OR_JSON = 'application/json, application/pdf;q=0.9, */*;q=0.5';

/** A file that an answer consists of, with what its headers say of it. */
export class FileContent {
  constructor(
    readonly data: Buffer,
    readonly mimeType: string,
    readonly disposition: string,
  ) {}
}

export const PDF_TYPE = 'application/pdf';

/** What is a PDF says so in its first bytes, whatever type it is sent under. */
export const isPdf = (data: Buffer): boolean => data.subarray(0, 5).toString('latin1') === '%PDF-';

/**
 * The content of an answer that came as bytes: JSON parsed as everywhere else, a page of text as text (it
 * is no success), a PDF and anything else as a file. The spec promises JSON but does not show these answers.
 */
export function contentOf(headers: Record<string, string>, bytes: unknown): unknown {
  if (!(bytes instanceof Uint8Array)) return bytes;
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const given = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  const mimeType = isPdf(data) ? PDF_TYPE : given;
  const isText = mimeType === '' || mimeType.startsWith('text/') || mimeType.endsWith('json');
  if (!isText) return new FileContent(data, mimeType, headers['content-disposition'] ?? '');
  const text = data.toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
