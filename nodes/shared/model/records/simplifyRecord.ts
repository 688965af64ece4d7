import { type Field, getKind } from '../fields';
import { getShownValue, listFieldKeys, type RecordValues } from './recordValues';
import type { Table } from './table';

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
