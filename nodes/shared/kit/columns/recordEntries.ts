import type { ConnectionSettings } from '../connections/resolveConnection';
import { resolveConnections } from '../connections/resolveConnections';
import { readFileValues } from '../files/binaryInput';
import type { PayloadEntries } from '../../model/fields';
import { encodeRecordValues } from '../../model/records/payload';
import type { Table } from '../../model/records/table';
import type { Item } from '../operation/item';
import { applyDefaults } from './applyDefaults';
import { readFormValues, type FormValues } from './formValues';

/** Encodes values for the payload. @throws InputError for an unknown column or an invalid value */
export const encodeValues = (item: Item, table: Table, values: FormValues): PayloadEntries =>
  encodeRecordValues(values, table, { timeZone: item.timeZone });

interface ReadEntriesOptions {
  withDefaults?: boolean;
  idCheck?: ConnectionSettings['idCheck'];
}

/**
 * Reads the form, reads the files, finds the connected records, applies the defaults and encodes the values. Every
 * operation that writes records uses this function. Missing connected records are created when all values are valid.
 */
export async function readRecordEntries(
  item: Item,
  table: Table,
  { withDefaults = false, idCheck = 'trust' }: ReadEntriesOptions = {},
): Promise<PayloadEntries> {
  const values = await readFileValues(item, table, readFormValues(item, table));
  const encode = (connections: FormValues) => {
    const all = { ...values, ...connections };
    return encodeValues(item, table, withDefaults ? applyDefaults(all, table) : all);
  };
  const connections = await resolveConnections(item, table, values, idCheck);
  if (connections.hasMissing) encode(connections.preview);
  return encode(await connections.complete());
}
