import { words } from 'lodash';

/** A file that an answer carries in its text, or names by its address. */
export type Found = { kind: 'url'; key: string; url: string } | { kind: 'base64'; key: string; data: Buffer };

/** Words of a key that names a file, wherever it stands; and keys that may name one, near the top. */
const OF_A_FILE = new Set(['download', 'pdf', 'file', 'files', 'document']);
const OF_AN_ADDRESS = new Set(['url', 'link', 'href', 'path', 'location']);
const BASE64_KEY = /base64|file|pdf|content|data|body/i;
const BASE64 = /^[A-Za-z0-9+/\s]+={0,2}\s*$/;
const PDF_MAGIC = '%PDF';
const DEPTH = 3;

interface Text {
  key: string;
  text: string;
  depth: number;
}

const strings = (value: unknown, key = '', depth = 0): Text[] => {
  if (typeof value === 'string') return [{ key, text: value, depth }];
  if (typeof value !== 'object' || value === null || depth > DEPTH) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    strings(inner, Array.isArray(value) ? key : name, depth + 1),
  );
};

const hasWord = (key: string, of: Set<string>) => words(key).some((word) => of.has(word.toLowerCase()));

/** Deeper down lies what people wrote into records: their links are not the service's file. */
const NEAR = 2;

const mayLeadToFile = ({ key, text, depth }: Text): boolean =>
  /^https?:\/\//i.test(text) &&
  (hasWord(key, OF_A_FILE) || (depth <= NEAR && OF_AN_ADDRESS.has(key.toLowerCase())));

/** Text as a PDF: with or without the head of a data URL. */
function pdfIn(text: string): Buffer | undefined {
  const encoded = text.replace(/^data:[^,]{0,100};base64,/i, '');
  if (encoded.length < 8 || !BASE64.test(encoded)) return undefined;
  const data = Buffer.from(encoded, 'base64');
  return data.subarray(0, PDF_MAGIC.length).toString('latin1') === PDF_MAGIC ? data : undefined;
}

/**
 * The PDF in an answer whose shape is "not shown" (spec: PDF): base64 that is a PDF by its first bytes, or
 * an http(s) address under a key that speaks of one. Undefined where there is neither.
 */
export function fileIn(body: unknown): Found | undefined {
  const all = strings(body);
  for (const { key, text } of all) {
    const data = BASE64_KEY.test(key) ? pdfIn(text) : undefined;
    if (data) return { kind: 'base64', key, data };
  }
  const addresses = all.filter(mayLeadToFile);
  // A download address before any other link: to a page that shows the file, say.
  const [best] = [...addresses.filter(({ key }) => hasWord(key, OF_A_FILE)), ...addresses];
  return best && { kind: 'url', key: best.key, url: best.text };
}

/** The answer without the text of the file, which the binary data now holds. */
export function withoutFile(body: unknown, key: string): unknown {
  if (Array.isArray(body)) return body.map((one) => withoutFile(one, key));
  if (typeof body !== 'object' || body === null) return body;
  const isText = (name: string, value: unknown) => name === key && typeof value === 'string';
  return Object.fromEntries(
    Object.entries(body)
      .filter(([name, value]) => !isText(name, value))
      .map(([name, value]) => [name, withoutFile(value, key)]),
  );
}
