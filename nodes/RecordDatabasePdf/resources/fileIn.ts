import { snakeCase, sortBy } from 'lodash';
import { isPdf } from '../../shared/transport/content';

/** A file that an answer carries in its text, or names by its address: there is no `data` then. */
export interface Found {
  text: string;
  data?: Buffer;
}

/** A key that names a file, wherever it stands: `pdf`, `download_url`, `fileLink`; but not `profile_url`. */
const OF_A_FILE =
  /(^|[^a-z])(download|pdf|files?|document)([^a-z]|$)|^(download|pdf|file)(url|link|href|path)$/;
/** A key that may name one: beside the answer's own values, a level deeper only by itself. */
const OF_AN_ADDRESS = /(^|[^a-z])(url|link|href|path|location)$/;
const ADDRESS_ALONE = /^(url|link|href|path|location)$/;
/** People's own addresses, which are none. */
const OF_A_PERSON = /website|profile|avatar|photo|image|logo/;
const BASE64_KEY = /base64|file|pdf|content|data|body/i;
const BASE64 = /^[A-Za-z0-9+/\s]+={0,2}\s*$/;
const DEPTH = 3;

interface Text {
  key: string;
  /** The keys above it. */
  above: string[];
  text: string;
}

/** Lists count as no level: their entries stand under the list's key. */
const strings = (value: unknown, key = '', above: string[] = []): Text[] => {
  if (typeof value === 'string') return [{ key, above, text: value }];
  if (typeof value !== 'object' || value === null || above.length > DEPTH) return [];
  if (Array.isArray(value)) return value.flatMap((one) => strings(one, key, above));
  return Object.entries(value).flatMap(([name, inner]) =>
    strings(inner, name, key ? [...above, key] : above),
  );
};

const plain = (key: string) => snakeCase(key);
const namesFile = ({ key, above }: Text): boolean =>
  OF_A_FILE.test(plain(key)) || (OF_AN_ADDRESS.test(plain(key)) && OF_A_FILE.test(plain(above.at(-1) ?? '')));

/** Deeper down lies what people wrote into records: their links are not the service's file. */
const mayNameFile = ({ key, above }: Text): boolean =>
  (above.length === 0 && OF_AN_ADDRESS.test(plain(key)) && !OF_A_PERSON.test(plain(key))) ||
  (above.length === 1 && ADDRESS_ALONE.test(plain(key)));

const mayLeadToFile = (one: Text): boolean =>
  (/^https?:\/\//i.test(one.text) && (namesFile(one) || mayNameFile(one))) ||
  // Without a host it is the service's own: under `url` or `path` more likely a page than a file.
  (/^\/[^/\\]/.test(one.text) && namesFile(one));

/** Text as a PDF: with or without the head of a data URL. */
function pdfIn(text: string): Buffer | undefined {
  const encoded = text.replace(/^data:[^,]{0,100};base64,/i, '');
  if (encoded.length < 8 || !BASE64.test(encoded)) return undefined;
  const data = Buffer.from(encoded, 'base64');
  return isPdf(data) ? data : undefined;
}

/** Below a record lies what people wrote into it: other files of theirs. */
const isOfRecord = ({ above }: Text): boolean => above.some((name) => /^(item|record)$/i.test(name));
/** A key that speaks of nothing else. */
const namesPdf = (one: Text): boolean => /(^|_)(download|pdf)/.test(plain(one.key)) && namesFile(one);
const endsInPdf = ({ text }: Text): boolean => /^[^?#]*\.pdf([?#]|$)/i.test(text);

/** So many addresses are tried: each may lead to a large file of another type. */
const TRIES = 3;

/**
 * Where the PDF may be in an answer whose shape is "not shown" (spec: PDF), best first: base64 that is a PDF by
 * its first bytes, or an address under a key that speaks of one. The higher it stands, the more it is the
 * answer's own. Beside the best only those count that speak of a file as clearly; of a record's, where the best is
 * none of them, only what speaks of a PDF while the best does not even speak of a file.
 */
export function filesIn(body: unknown): Found[] {
  const files = strings(body).flatMap((one) => {
    const data = BASE64_KEY.test(one.key) ? pdfIn(one.text) : undefined;
    return data || mayLeadToFile(one) ? [{ ...one, ...(data && { data }) }] : [];
  });
  const [best, ...others] = sortBy(files, [
    isOfRecord,
    ({ data }) => data === undefined,
    ({ above }) => above.length,
    (one) => !namesPdf(one),
    (one) => !endsInPdf(one),
    (one) => !namesFile(one),
  ]);
  if (!best) return [];
  const alike = others.filter(
    (one) => namesFile(one) && (isOfRecord(one) === isOfRecord(best) || (namesPdf(one) && !namesFile(best))),
  );
  return [best, ...alike].slice(0, TRIES);
}

/** The answer without the text of the file, which the binary data now holds. */
export function withoutFile(body: unknown, file: string): unknown {
  if (Array.isArray(body)) return body.filter((one) => one !== file).map((one) => withoutFile(one, file));
  if (typeof body !== 'object' || body === null) return body;
  return Object.fromEntries(
    Object.entries(body)
      .filter(([, value]) => value !== file)
      .map(([name, value]) => [name, withoutFile(value, file)]),
  );
}
