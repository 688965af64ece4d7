import type { Field } from '../fields/field';
import { getKind } from '../fields/kinds';
import { type RecordValues, getShownValue, listFieldKeys } from '../fields/recordValues';
import type { Table } from '../fields/table';
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
const splitAddresses = (text: string): string[] => text.trim().split(/\s*[,;\s]\s*(?=https?:\/\/|\/)/i);

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

/** Groups the parts of each composite field into one object under the field's key. */
export function groupComposites(
  record: RecordValues,
  table: Table,
  getKey: (field: Field) => string,
): RecordValues {
  const grouped = new Map<string, unknown>();
  const partKeys = new Set<string>();
  for (const field of table.fields.filter((candidate) => getKind(candidate).parts)) {
    const [key, ref] = [getKey(field), { table, field }];
    const keys = Object.hasOwn(record, key) ? [] : listFieldKeys(record, ref, key);
    if (keys.length > 0) grouped.set(key, getShownValue(record, ref, key));
    for (const partKey of keys) partKeys.add(partKey);
  }
  const rest = Object.entries(record).filter(([key]) => !partKeys.has(key));
  return Object.fromEntries([...rest, ...grouped]);
}

/**
 * Replaces connections by their display values and composites by one line of text, and leaves out empty values.
 * `fieldKeys` contains the keys of the table's fields.
 */
export function simplifyRecord(record: RecordValues, fieldKeys: Set<string>): RecordValues {
  const isDisplayKey = (key: string) =>
    key.endsWith('_val') && Object.hasOwn(record, key.slice(0, -4)) && !fieldKeys.has(key);
  const pairs = Object.entries(record).flatMap(([key, value]): Array<[string, unknown]> => {
    if (isDisplayKey(key)) return [];
    const display = isDisplayKey(`${key}_val`) ? record[`${key}_val`] : undefined;
    const shown = Array.isArray(display)
      ? display.map((entry) => (entry as { val?: unknown }).val ?? entry)
      : value;
    const isParts = typeof shown === 'object' && shown !== null && !Array.isArray(shown);
    const line = isParts
      ? Object.values(shown)
          .filter((part) => part !== '' && part !== null)
          .join(' ')
      : shown;
    return line === '' || line === null || (Array.isArray(line) && line.length === 0) ? [] : [[key, line]];
  });
  return Object.fromEntries(pairs);
}
