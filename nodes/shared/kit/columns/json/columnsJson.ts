import { formatForError, InputError } from '../../../model/input/inputError';
import { isObject } from '../../../model/input/isObject';
import { toFieldKey } from '../../../model/input/names';
import { parseLooseJson } from '../../../model/input/parseJson';
import type { Table } from '../../../model/records/table';
import { defineParameter } from '../../operation/parameter';

const EXAMPLE =
  '{"Company": "Mill Works", "Status": "Active", "Tags": ["VIP"], "Customer Since": "2025-03-31"}';

/** The values of one record as one JSON object, for example from an AI model. */
export const columnsJson = defineParameter({
  displayName: 'Columns (JSON)',
  name: 'columnsJson',
  type: 'json',
  default: '{}',
  description: `JSON object with the values by column. A column is given by its name or slug, a choice by its label. Dates have the form 2025-03-31, and null clears a column. Example: ${EXAMPLE}.`,
});

/** Keys under which other systems put the values of a record. */
const WRAPPERS = new Set(['fields', 'data', 'record', 'values', 'columns', 'properties', 'row']);
const NAME_KEYS = ['field', 'column', 'fieldid', 'slug', 'name', 'key'];

type Values = Record<string, unknown>;

/** Reads a list of `{"field": "Company", "value": "Mill"}`. Undefined for any other list. */
function readPairs(list: unknown[]): Array<[string, unknown]> | undefined {
  const pairs = list.map((entry) => {
    if (!isObject(entry) || !('value' in entry) || Object.keys(entry).length !== 2) return undefined;
    const [name] = Object.entries(entry).filter(([key]) => NAME_KEYS.includes(toFieldKey(key)));
    return typeof name?.[1] === 'string' ? ([name[1], entry.value] as [string, unknown]) : undefined;
  });
  return pairs.every((pair) => pair !== undefined) ? pairs : undefined;
}

/** Removes a wrapper such as `{"fields": {…}}`, unless the table has a field of that name. */
function unwrap(value: unknown, table?: Table): unknown {
  if (Array.isArray(value)) return value.length === 1 && !readPairs(value) ? unwrap(value[0], table) : value;
  const [only, ...others] = isObject(value) ? Object.entries(value) : [];
  const isWrapper =
    only && others.length === 0 && WRAPPERS.has(only[0].toLowerCase()) && typeof only[1] === 'object';
  return isWrapper && only[1] !== null && !table?.find(only[0]) ? unwrap(only[1], table) : value;
}

/**
 * Reads the values from JSON: an object, its text, a code block, or a form of another system. The keys are not
 * checked. @throws InputError for any other value, for an empty list, and for a column that is given twice
 */
export function parseColumnsJson(input: unknown, table?: Table): Values {
  const value = unwrap(typeof input === 'string' ? parseLooseJson(input) : input, table);
  if (isObject(value)) return value;
  const pairs = Array.isArray(value) ? readPairs(value) : undefined;
  if (pairs?.length && new Set(pairs.map(([name]) => name)).size === pairs.length)
    return Object.fromEntries(pairs);
  throw new InputError(
    `Columns (JSON) cannot be ${formatForError(input)}`,
    `Nothing was sent. Give one JSON object with the columns of one record. A valid value: ${EXAMPLE}.`,
  );
}
