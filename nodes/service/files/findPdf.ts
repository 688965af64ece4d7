/** The PDF in the answer to a call that creates one (spec: PDF): `findPdf`. Open point: `pdfResponse`. */
import { redact } from '../errors/redact';
import type { Client } from '../http/client';
import { getSecrets } from '../http/credential';
import { FileContent, isPdf, PDF_MIME_TYPE } from '../http/parseContent';
import { parseFileName } from './downloadUrl';
import { createSizeError, MEGABYTE } from './openDownload';

/** A PDF that an answer holds. */
interface PdfContent {
  data: Buffer;
  mimeType: string;
  fileName?: string;
  /** The answer without the text of the PDF. Undefined if the PDF is the whole answer. */
  rest?: unknown;
}

/** A PDF that an answer names. */
interface PdfAddress {
  url: string;
  /** The address for messages, without its query, its user and secrets. */
  shownUrl: string;
  fileName?: string;
}

/**
 * Finds the PDF in an answer: the answer is the file, or has it as base64 that begins with `%PDF`, or names its http(s) URL.
 * Open point: `pdfResponse`.
 * @example
 * const { body } = await client.call(pdfPageEndpoints.create, { path: { pdfPageId, recordId }, file: true });
 * findPdf(client, body, 100); // { data, mimeType: 'application/pdf', fileName: 'invoice.pdf' }
 * @returns undefined for an answer without a PDF; `fileName` is the one that the service gives
 * @throws ApiError for a file in the answer that is larger than `maxMegabytes`
 */
export function findPdf(
  { credential }: Client,
  body: unknown,
  maxMegabytes: number,
): PdfContent | PdfAddress | undefined {
  if (body instanceof FileContent) {
    const { data, mimeType, disposition } = body;
    const stated = parseFileName(disposition);
    ensureSize(data, maxMegabytes);
    return { data, mimeType, fileName: /\.[a-z0-9]{2,4}$/i.test(stated) ? stated : undefined };
  }
  const source = findSource(body);
  if (!source) return undefined;
  const fileName = findFileName(body);
  if ('url' in source) {
    const shown = source.url.replace(/[?#].*$/s, '').replace(/\/\/[^/@]*@/, '//');
    return { url: source.url, shownUrl: redact(shown, getSecrets(credential)), fileName };
  }
  ensureSize(source.data, maxMegabytes);
  return { data: source.data, mimeType: PDF_MIME_TYPE, fileName, rest: removeFileText(body, source.text) };
}

/** @throws ApiError for a larger file */
function ensureSize(data: Buffer, maxMegabytes: number): void {
  if (data.length > maxMegabytes * MEGABYTE) throw createSizeError(maxMegabytes * MEGABYTE);
}

/** The PDF as base64 (`text` is the unchanged text of the response), or its URL. */
type PdfSource = { text: string; data: Buffer } | { url: string };

interface TextEntry {
  /** Keys from the top of the response. A list adds no key. */
  path: string[];
  text: string;
}

const MAX_DEPTH = 4;
/** Maximum length of a key that is checked. Longer keys are data of the user. */
const MAX_KEY_LENGTH = 64;

function collectTextEntries(value: unknown, path: string[] = []): TextEntry[] {
  if (typeof value === 'string') return [{ path, text: value }];
  if (typeof value !== 'object' || value === null || path.length >= MAX_DEPTH) return [];
  if (Array.isArray(value)) return value.flatMap((one) => collectTextEntries(one, path));
  return Object.entries(value)
    .filter(([key]) => key.length <= MAX_KEY_LENGTH)
    .flatMap(([key, inner]) => collectTextEntries(inner, [...path, key]));
}

const DATA_URL_PREFIX = 'data:application/pdf;base64,';
/** `%PDF-` in base64. */
const BASE64_PREFIX = 'JVBERi';

function decodePdf(text: string): Buffer | undefined {
  const encoded = text.startsWith(DATA_URL_PREFIX) ? text.slice(DATA_URL_PREFIX.length) : text;
  if (!encoded.startsWith(BASE64_PREFIX)) return undefined;
  const data = Buffer.from(encoded, 'base64');
  return isPdf(data) ? data : undefined;
}

const isWebAddress = ({ text }: TextEntry): boolean => /^https?:\/\//i.test(text.slice(0, 8));

/** Whether the text is inside a record. URLs in a record are values of its fields, not the PDF. */
const isInsideRecord = ({ path }: TextEntry): boolean =>
  path.slice(0, -1).some((key) => /^(item|record)$/i.test(key));

/** Keys that name the URL of the PDF, clearest first. An enclosing key also counts: `pdf: {url}`. */
const ADDRESS_KEYS: Array<(entry: TextEntry) => boolean> = [
  ({ path }) => path.slice(-2).some((key) => /pdf|download/i.test(key)),
  (entry) =>
    entry.path.slice(-2).some((key) => /^files?(_?(url|link|path))?$/i.test(key)) && !isInsideRecord(entry),
  (entry) =>
    /^((view|public)_?)?(url|link|href|location)$/i.test(entry.path.at(-1) ?? '') && !isInsideRecord(entry),
];

/** Finds base64 that begins with `%PDF`, else the http(s) URL under the clearest key. No URL if several keys are equally clear. */
export function findSource(body: unknown): PdfSource | undefined {
  const texts = collectTextEntries(body);
  for (const { text } of texts) {
    const data = decodePdf(text);
    if (data) return { text, data };
  }
  for (const matches of ADDRESS_KEYS) {
    const urls = new Set(
      texts.filter((entry) => isWebAddress(entry) && matches(entry)).map(({ text }) => text),
    );
    const [url] = urls;
    if (url !== undefined) return urls.size === 1 ? { url } : undefined;
  }
  return undefined;
}

/** Returns the file name in a response, at its top level or one level below. */
export function findFileName(body: unknown): string | undefined {
  const entry = collectTextEntries(body).find(
    ({ path, text }) => path.length <= 2 && /^file_?name$/i.test(path.at(-1) ?? '') && text.trim() !== '',
  );
  return entry?.text;
}

/** Removes the base64 text of the file from the response, because the binary data holds the file. */
export function removeFileText(body: unknown, file: string): unknown {
  if (Array.isArray(body)) return body.filter((one) => one !== file).map((one) => removeFileText(one, file));
  if (typeof body !== 'object' || body === null) return body;
  return Object.fromEntries(
    Object.entries(body)
      .filter(([, value]) => value !== file)
      .map(([name, value]) => [name, removeFileText(value, file)]),
  );
}
