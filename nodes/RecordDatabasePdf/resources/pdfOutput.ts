/**
 * The answer to the creation of a PDF, as items. `buildPdfOutput` finds the file, its base64 text or its URL in the
 * answer, and stores the file as binary data.
 */
import type { IBinaryKeyData, IDataObject, INodeProperties } from 'n8n-workflow';
import { downloadGeneratedFile, fileOptions, storeResponseFile } from '../../n8n/files/binaryOutput';
import type { Item } from '../../n8n/operation/item';
import { type Output, toOutputs } from '../../n8n/operation/operation';
import { createOptions, defineParameter } from '../../n8n/parameters/parameter';
import { FileContent, getSecrets, isPdf, parseFileName, PDF_MIME_TYPE, redact } from '../../service';

/**
 * Converts the response of a PDF operation to output items. The spec does not show the response: it may be the file,
 * base64 or a URL. The file becomes binary data; any other response is returned unchanged, with a hint. Each entry of
 * a list is converted separately.
 * Open point: `pdfResponse`.
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

/**
 * Finds the PDF in a response, which the spec does not show (spec: PDF): base64 that begins with `%PDF`, else the
 * http(s) URL under the clearest key. Returns no URL if several keys are equally clear.
 * Open point: `pdfResponse`.
 */
export function findPdf(body: unknown): PdfSource | undefined {
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
