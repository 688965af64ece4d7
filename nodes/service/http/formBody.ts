import { randomUUID } from 'node:crypto';

export interface FilePart {
  fileName: string;
  mimeType: string;
  data: Uint8Array;
}

/** Several parts of a form may have the same name. */
export type FormPart = readonly [name: string, value: string | FilePart];

/** Escapes a name as browsers do (HTML standard, "Multipart form data"). */
const escapePartName = (name: string): string =>
  name.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22');

/** Replaces a MIME type that is not printable ASCII: a line break in it would add a header. */
const DEFAULT_MIME_TYPE = 'application/octet-stream';
const isAsciiMimeType = (type: string): boolean => /^[\x20-\x7e]+$/.test(type);

function formatPartHeaders([name, value]: FormPart): string {
  const disposition = `Content-Disposition: form-data; name="${escapePartName(name)}"`;
  if (typeof value === 'string') return disposition;
  const type = isAsciiMimeType(value.mimeType) ? value.mimeType : DEFAULT_MIME_TYPE;
  return `${disposition}; filename="${escapePartName(value.fileName)}"\r\nContent-Type: ${type}`;
}

const toBytes = (value: string | FilePart): Uint8Array =>
  typeof value === 'string' ? Buffer.from(value) : value.data;

/**
 * A form (`multipart/form-data`, RFC 7578) as bytes, which can be sent again after a new login. The FormData of Node
 * changes line breaks to CRLF, and needs several times the size of a file in memory.
 * @example
 * new FormBody([['company', 'Mill'], ['photo', { fileName: 'a.png', mimeType: 'image/png', data }]]);
 */
export class FormBody {
  readonly contentType: string;
  readonly bytes: Buffer;

  constructor(parts: readonly FormPart[]) {
    const boundary = `----form-${randomUUID()}`;
    this.contentType = `multipart/form-data; boundary=${boundary}`;
    const pieces = parts.flatMap((part) => [
      Buffer.from(`--${boundary}\r\n${formatPartHeaders(part)}\r\n\r\n`),
      toBytes(part[1]),
      Buffer.from('\r\n'),
    ]);
    // Not `Buffer.concat`: its small buffers may be parts of shared memory, which an HTTP client may send as a whole.
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
    const end = `--${boundary}--\r\n`;
    this.bytes = Buffer.allocUnsafeSlow(length + end.length);
    let offset = 0;
    for (const piece of pieces) {
      this.bytes.set(piece, offset);
      offset += piece.length;
    }
    this.bytes.write(end, offset);
  }
}
