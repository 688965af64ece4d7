import { isBlank, isObject, parseJson } from '../input/values';

const ADDRESS = /^https?:\/\//i;

/** Keys of a file object that name the address of the file itself, and not of a thumbnail or page. */
const ADDRESS_KEY = /^(download_?|file_?)?(url|link|path|src|href)$/i;

function findAddress(file: Record<string, unknown>): string | undefined {
  const texts = Object.entries(file).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && !isBlank(entry[1]),
  );
  const named = texts.find(([key]) => ADDRESS_KEY.test(key)) ?? texts.find(([, text]) => ADDRESS.test(text));
  return named?.[1];
}

/** Splits a text before each further address. An address may contain commas. */
const splitAddresses = (text: string): string[] => text.trim().split(/(?<![,;\s])[,;\s]+(?=https?:\/\/|\/)/i);

/**
 * Lists the addresses of the files in the value of a File field. The spec does not show the value: it may be an
 * address, several in one text, a list, or objects such as `{name, url}`, also as JSON text.
 */
export function listFileAddresses(value: unknown): string[] {
  if (isBlank(value)) return [];
  if (Array.isArray(value)) return value.flatMap(listFileAddresses);
  if (isObject(value)) return [findAddress(value) ?? JSON.stringify(value)];
  const text = String(value);
  const parsed = /^\s*[[{]/.test(text) ? parseJson(text) : undefined;
  return typeof parsed === 'object' && parsed !== null ? listFileAddresses(parsed) : splitAddresses(text);
}
