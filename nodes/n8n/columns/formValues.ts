import { encodeDefault } from '../../client/fields/recordValues';
import { type Table, createUnknownFieldError, formatPayloadKey } from '../../client/fields/table';
import { InputError, formatForError, joinFirst } from '../../client/input/inputError';
import { omitReadOnly, takeConnectedIds } from '../../client/records/simplifiedRecord';
import type { Item } from '../operation/item';
import {
  clearColumnsOption,
  columnsJson,
  columnsMode,
  parseColumnsJson,
  readColumnMapping,
  unknownInputs,
} from './columnForm';

/** Adds the configured defaults of the fields without a value. The service does not apply them (spec: Record). */
export function applyDefaults(values: Record<string, unknown>, table: Table): Record<string, unknown> {
  const given = new Set(
    Object.keys(values).map((key) => table.resolvePayloadField(key, 'Columns').field.slug),
  );
  const defaults = table.writableFields
    .filter((field) => !given.has(field.slug) && encodeDefault(field).length > 0)
    .map(({ slug, defaultValue }) => [slug, defaultValue]);
  return { ...Object.fromEntries(defaults), ...values };
}

/** The values of one item by payload key, as entered in the form or found in the input. They are not encoded. */
export type FormValues = Record<string, unknown>;

/** Whether a key names a column that can be written. @throws InputError for a name of several columns */
const isKnownKey = (key: string, table: Table): boolean => table.find(key)?.field.computed === false;

/**
 * Returns the values for automatic mapping: all keys of the input that can be written. A record from another
 * operation can therefore be written back.
 */
function readInputValues(item: Item, table?: Table): FormValues {
  const ignoresUnknown = item.read(unknownInputs) === 'ignore';
  const given = omitReadOnly(item.input.json, table);
  const values = table ? takeConnectedIds(given, table) : given;
  const entries = Object.entries(values).filter(
    ([key]) => !table || !ignoresUnknown || isKnownKey(key, table),
  );
  if (table && ignoresUnknown && entries.length === 0) throw createNothingKnownError(item);
  if (table) for (const [key] of entries) ensureKnownInput(key, table);
  return Object.fromEntries(entries);
}

/** @throws InputError for a key of the input that is no column. Its remedy names the setting for such keys. */
function ensureKnownInput(key: string, table: Table): void {
  if (table.find(key)) return;
  const names = table.writableFields.map(({ slug }) => slug);
  const error = createUnknownFieldError(table, key, 'Columns', names);
  const setting = 'To leave out keys of the input that are no columns, set Unknown Inputs to Ignore.';
  throw error.explain({ description: `${setting} ${error.description}` });
}

/** Without any column, a create would make an empty record for each item. */
function createNothingKnownError(item: Item): InputError {
  const keys = Object.keys(item.input.json).map((key) => formatForError(key));
  return new InputError(
    'Columns: no key of the input is a column of the table',
    `Nothing was sent. The keys of the input are: ${joinFirst(keys) || 'none'}. Rename them, or map the columns yourself.`,
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
      `"${table?.find(key)?.field.name ?? key}" was not sent where its expression found nothing. To clear the column there, end the expression with "?? null".`,
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
  const cleared = (item.readOption(clearColumnsOption) ?? []).map((slug) => [slug, null]);
  return toPayloadKeys({ ...readGivenValues(item, table), ...Object.fromEntries(cleared) }, table);
}

function readGivenValues(item: Item, table?: Table): FormValues {
  if (item.read(columnsMode) === 'json') {
    const values = omitReadOnly(parseColumnsJson(item.read(columnsJson), table));
    return table ? takeConnectedIds(values, table) : values;
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
        `Columns: "${ref?.field.name ?? key}" is given twice, as "${other}" and "${name}"`,
        'Nothing was sent. Give each column once.',
      );
    }
    names.set(key, name);
  }
  return Object.fromEntries([...names].map(([key, name]) => [key, values[name]]));
}
