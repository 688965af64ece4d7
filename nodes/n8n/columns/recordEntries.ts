import type { ConnectionSettings } from '../../client/connections/connectionResolver';
import type { PayloadEntries } from '../../client/fields/field';
import { getKind } from '../../client/fields/kinds';
import { type Table, getValueField } from '../../client/fields/table';
import { encodeValue } from '../../client/fields/values';
import { encodeRecordValues } from '../../client/records/payload';
import { readFileValues } from '../files/binaryInput';
import type { Item } from '../operation/item';
import { resolveConnections } from './connections';
import { type FormValues, applyDefaults, readFormValues } from './formValues';

/** Encodes values for the payload. @throws InputError for an unknown column or an invalid value */
export const encodeValues = (item: Item, table: Table, values: FormValues): PayloadEntries =>
  encodeRecordValues(values, table, { timeZone: item.timeZone });

interface ReadEntriesOptions {
  withDefaults?: boolean;
  idCheck?: ConnectionSettings['idCheck'];
  /** For an operation that takes no files: what to do instead. */
  filesRemedy?: string;
}

/** The values of a record, checked. */
interface PreparedEntries {
  /** The payload, with a name in place of each missing connected record. It cannot be sent. */
  preview: PayloadEntries;
  /** Whether connected records are missing, so that the preview is not the payload. */
  hasMissing: boolean;
  /** Creates the missing connected records and returns the payload. @throws ApiError when a create fails */
  complete: () => Promise<PayloadEntries>;
}

/**
 * Reads the form, reads the files, finds the connected records, applies the defaults and encodes the values. Every
 * operation that writes records uses this function. Nothing is written until `complete` is called.
 * @throws InputError for an unknown column, an invalid value or an unknown record
 */
export async function prepareRecordEntries(
  item: Item,
  table: Table,
  { withDefaults = false, idCheck = 'trust', filesRemedy }: ReadEntriesOptions = {},
): Promise<PreparedEntries> {
  const values = await readFileValues(item, table, readFormValues(item, table), filesRemedy);
  const encode = (connections: FormValues) => {
    const all = { ...values, ...connections };
    return encodeValues(item, table, withDefaults ? applyDefaults(all, table) : all);
  };
  const connections = await resolveConnections(item, table, values, idCheck);
  const preview = encode(connections.preview);
  const { hasMissing } = connections;
  return {
    preview,
    hasMissing,
    complete: async () => (hasMissing ? encode(await connections.complete()) : preview),
  };
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
 * Checks the values of an item by the fields of the table: unknown and computed columns, and values that their fields
 * cannot take. Files are not read, and connected records are not looked up.
 * @returns how many columns have a value
 * @throws InputError
 */
export function checkRecordValues(item: Item, table: Table): number {
  const values = Object.entries(readFormValues(item, table)).filter(([, value]) => value !== undefined);
  for (const [key, value] of values) {
    const field = getValueField(table.resolvePayloadField(key, 'Columns'));
    if (field.connection || getKind(field).holdsFiles) continue;
    encodeValue(value, field, { timeZone: item.timeZone });
  }
  return values.length;
}
