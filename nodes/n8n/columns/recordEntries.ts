/**
 * The values of an item, from the form or the input to what is sent. `prepareRecordEntries` reads them, finds the
 * connected records, and encodes them. `readRecordEntries` also creates missing connected records.
 */
import {
  type ConnectionUse,
  encodeDefault,
  encodeRecordValues,
  encodeValue,
  getKind,
  getValueField,
  type PayloadEntries,
  type Table,
} from '../../records';
import { InputError } from '../../service';
import { hasFile, readFileValues } from '../files/binaryInput';
import type { Item } from '../operation/item';
import { type Prepared, resolveConnections } from './formConnections';
import { type FormValues, readFormValues } from './formValues';

/**
 * Reads the form, reads the files, finds the connected records, applies the defaults and encodes the values. Every
 * operation that writes records uses this function. Nothing is written until `complete` is called.
 * @throws InputError for an unknown column, an invalid value or an unknown record
 */
export async function prepareRecordEntries(
  item: Item,
  table: Table,
  { withDefaults = false, use = 'write', filesRemedy }: ReadEntriesOptions = {},
): Promise<Prepared<PayloadEntries>> {
  const values = await readFileValues(item, table, readFormValues(item, table), filesRemedy);
  const encode = (connections: FormValues) => {
    const all = { ...values, ...connections };
    return encodeValues(item, table, withDefaults ? applyDefaults(all, table) : all);
  };
  const connections = await resolveConnections(item, table, values, use);
  const preview = encode(connections.preview);
  const { hasMissing, complete } = connections;
  return { preview, hasMissing, complete: async () => (hasMissing ? encode(await complete()) : preview) };
}

/**
 * Adds the configured defaults of the fields that are not named. The service does not apply them (spec: Record). An item
 * without any value gets none: it is an error, not a record of defaults. A unique field gets none, because a second
 * record could not have it.
 */
export function applyDefaults(values: Record<string, unknown>, table: Table): Record<string, unknown> {
  if (Object.values(values).every((value) => value === undefined)) return values;
  const given = new Set(
    Object.keys(values).map((key) => table.resolvePayloadField(key, 'Fields').field.slug),
  );
  const defaults = table.writableFields
    .filter((field) => !given.has(field.slug) && !field.unique && encodeDefault(field).length > 0)
    .map(({ slug, defaultValue }) => [slug, defaultValue]);
  return { ...Object.fromEntries(defaults), ...values };
}

/** Encodes values for the payload. @throws InputError for an unknown column or an invalid value */
export const encodeValues = (item: Item, table: Table, values: FormValues): PayloadEntries =>
  encodeRecordValues(values, table, {
    timeZone: item.timeZone,
    hint: (text) => item.client.notices.addHint(text),
  });

interface ReadEntriesOptions {
  withDefaults?: boolean;
  /** What the connected records are looked up for: `write` by default. */
  use?: ConnectionUse;
  /** For an operation that takes no files: what to do instead. */
  filesRemedy?: string;
}

/** Reads the values of a record. Missing connected records are created when all values are valid. */
export async function readRecordEntries(
  item: Item,
  table: Table,
  options?: ReadEntriesOptions,
): Promise<PayloadEntries> {
  const { complete } = await prepareRecordEntries(item, table, options);
  return complete();
}

/**
 * Checks the values of an item by the fields of the table: unknown and computed fields, values that their fields cannot take,
 * and binary fields that the input lacks. No file is fetched, and no connected record is looked up.
 * @param nothing the error of an item without any value. By default there is none
 * @returns the payload entries, without files and connections
 * @throws InputError
 */
export function checkRecordValues(
  item: Item,
  table: Table,
  { withDefaults = false, nothing }: { withDefaults?: boolean; nothing?: () => InputError } = {},
): PayloadEntries {
  const given = readFormValues(item, table);
  const all = Object.entries(withDefaults ? applyDefaults(given, table) : given);
  const refs = all.map(([key, value]) => ({
    value,
    field: getValueField(table.resolvePayloadField(key, 'Fields')),
  }));
  const values = refs.filter(
    ({ field, value }) => value !== undefined && (!getKind(field).holdsFiles || hasFile(item, field, value)),
  );
  if (values.length === 0 && nothing) throw nothing();
  return values.flatMap(({ field, value }) =>
    field.connection || getKind(field).holdsFiles
      ? []
      : encodeValue(value, field, { timeZone: item.timeZone }),
  );
}
