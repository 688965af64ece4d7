/**
 * The values of one item, by field: from the mapper, from the input, or from JSON. `readFormValues` reads them. They are not encoded.
 */
import {
  createUnknownFieldError,
  divideValues,
  explainReadOnly,
  formatPayloadKey,
  getKind,
  joinTextsAndIds,
  type LeftOutValue,
  listLostValues,
  omitAddedKeys,
  type Table,
} from '../../records';
import { formatForError, InputError, joinFirst } from '../../service';
import type { Item } from '../operation/item';
import {
  clearColumnsOption,
  columnsJson,
  columnsMode,
  parseColumnsJson,
  readColumnMapping,
  readConnectionNotation,
  unknownInputs,
} from './columnForm';

/** The values of one item by payload key, as entered in the form or found in the input. They are not encoded. */
export type FormValues = Record<string, unknown>;

/** Whether a key names a column that can be written. @throws InputError for a name of several columns */
const isKnownKey = (key: string, table: Table): boolean => table.find(key)?.field.computed === false;

/**
 * Returns the values for automatic mapping: all keys of the input that can be written. A record from another
 * operation can therefore be written back.
 */
function readInputValues(item: Item, table?: Table): FormValues {
  if (!table) return omitAddedKeys(item.input.json);
  const ignoresUnknown = item.read(unknownInputs) === 'ignore';
  const { notation } = readConnectionNotation(item);
  const values = joinTextsAndIds(divideValues(item.input.json, table).writable, table, notation);
  const entries = Object.entries(values).filter(([key]) => !ignoresUnknown || isKnownKey(key, table));
  if (ignoresUnknown && entries.length === 0) throw createNothingKnownError(item);
  for (const [key] of entries) ensureKnownInput(key, table);
  return Object.fromEntries(entries);
}

const explainLeftOut = ({ key, value, field }: LeftOutValue): string => {
  if (!field)
    return `The key ${formatForError(key)} of the input was not written: no field of the table has this name.`;
  if (field.computed) return `"${field.name}" was not written: ${explainReadOnly(field)}.`;
  return getKind(field).holdsFiles
    ? `"${field.name}" was not written: Map Automatically sends no file that has an address. To send one, map the field yourself, and give the address or the name of a binary field of the input.`
    : `"${field.name}" was not written: ${formatForError(value)} cannot be written.`;
};

/**
 * Adds a hint for each value of the input that was not written because it cannot be, unless a record shows that value.
 * @param records the record before and after the write; none if it was created
 */
export function hintLeftOut(item: Item, table: Table, records: object[]): void {
  if (item.read(columnsMode) === 'json' || !readColumnMapping(item).isAutomatic) return;
  const { leftOut } = divideValues(item.input.json, table);
  const lost = listLostValues(
    leftOut,
    table,
    records.map((record) => ({ ...record })),
  );
  for (const one of lost) item.client.notices.addHint(explainLeftOut(one));
}

/** @throws InputError for a key of the input that is no column. Its remedy names the setting for such keys. */
function ensureKnownInput(key: string, table: Table): void {
  if (table.find(key)) return;
  const names = table.writableFields.map(({ slug }) => slug);
  const error = createUnknownFieldError(table, key, 'Fields', names);
  const setting = 'To leave out keys of the input that are no fields, set Unknown Inputs to Ignore.';
  throw error.explain({ description: `${setting} ${error.description}` });
}

/** Without any column, a create would make an empty record for each item. */
function createNothingKnownError(item: Item): InputError {
  const keys = Object.keys(item.input.json).map((key) => formatForError(key));
  return new InputError(
    'Fields: no key of the input is a field of the table',
    `Nothing was sent. The keys of the input are: ${joinFirst(keys) || 'none'}. Rename them, or map the fields yourself.`,
  );
}

/**
 * Returns the values for manual mapping. The editor stores null for an empty column, and an expression can return
 * null to clear a column. The node's parameters show whether a column has an expression. `value` comes from the
 * whole parameter `columns`, because n8n converts values when it reads `columns.value`: '' becomes 0, dates are
 * parsed in another time zone, and labels and lists are refused.
 */
function readMappedValues(item: Item, value: FormValues, table?: Table): FormValues {
  const entries = Object.entries(value).flatMap(([key, mapped]): Array<[string, unknown]> => {
    if (mapped !== null && mapped !== undefined) return [[key, mapped]];
    if (!item.isExpression(['columns', 'value', key])) return [];
    if (mapped === null) return [[key, null]];
    item.client.notices.addHint(
      `"${table?.find(key)?.field.name ?? key}" got no value where its expression found nothing. To clear the field there, end the expression with "?? null".`,
    );
    return [];
  });
  return Object.fromEntries(entries);
}

/**
 * Returns the item's values from the column mapper and from "Columns to Clear". null clears a column. The value
 * of a File column is the name of a binary field, or an address. Without `table`, the keys of the input are not checked.
 */
export function readFormValues(item: Item, table?: Table): FormValues {
  const cleared = item.readOptionOrDefault(clearColumnsOption).map((slug) => [slug, null]);
  return toPayloadKeys({ ...readGivenValues(item, table), ...Object.fromEntries(cleared) }, table);
}

function readGivenValues(item: Item, table?: Table): FormValues {
  if (item.read(columnsMode) === 'json') {
    const values = omitAddedKeys(parseColumnsJson(item.read(columnsJson), table), table);
    return table ? joinTextsAndIds(values, table, readConnectionNotation(item).notation) : values;
  }
  const { isAutomatic, values } = readColumnMapping(item);
  return isAutomatic ? readInputValues(item, table) : readMappedValues(item, values, table);
}

/**
 * Replaces the names of columns by their payload keys. Unknown names stay, and are reported when the values are
 * encoded. @throws InputError when two names mean the same column
 */
function toPayloadKeys(values: FormValues, table?: Table): FormValues {
  const names = new Map<string, string>();
  for (const name of Object.keys(values)) {
    const ref = table?.find(name);
    const key = ref ? formatPayloadKey(ref) : name;
    const other = names.get(key);
    if (other !== undefined) {
      throw new InputError(
        `Fields: "${ref?.field.name ?? key}" is given twice, as "${other}" and "${name}"`,
        'Nothing was sent. Give each field once.',
      );
    }
    names.set(key, name);
  }
  return Object.fromEntries([...names].map(([key, name]) => [key, values[name]]));
}
