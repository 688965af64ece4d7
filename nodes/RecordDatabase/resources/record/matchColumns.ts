import { uniqBy } from 'lodash';
import { columnsMode, matchColumns, readColumnMapping } from '../../../n8n/columns/columnForm';
import {
  type FormValues,
  encodeValues,
  readFormValues,
  resolveConnections,
} from '../../../n8n/columns/recordEntries';
import { tableLocator } from '../../../n8n/lists/tablePickers';
import type { Item } from '../../../n8n/operation/item';
import {
  createMatchKey,
  type FieldRef,
  formatPayloadKey,
  getRawValue,
  type KeyBatch,
  type MatchKey,
  type Table,
} from '../../../records';

/** @returns payload keys. @throws InputError for an unknown column */
export function readMatchColumns(item: Item, table: Table): string[] {
  const isJson = item.read(columnsMode) === 'json';
  const columns = isJson ? item.read(matchColumns) : readColumnMapping(item).matchColumns;
  return columns.map((column) => formatPayloadKey(table.resolvePayloadField(column, 'Fields to Match On')));
}

/** Reads the value of a column or a part in values by payload key: a part may be given alone, or in its whole field. */
const readFormValue = (values: FormValues, ref: FieldRef): unknown =>
  values[formatPayloadKey(ref)] ?? getRawValue(values, ref);

/** A record that a match column connects to must exist. @throws InputError */
export async function readMatchKey(item: Item, table: Table): Promise<MatchKey> {
  const columns = readMatchColumns(item, table);
  const values = readFormValues(item, table);
  const matchValues = Object.fromEntries(
    columns.map((key) => [key, readFormValue(values, table.resolvePayloadField(key, 'Fields to Match On'))]),
  );
  const connections = await resolveConnections(item, table, matchValues, 'compare');
  const resolved = { ...matchValues, ...connections.preview };
  return createMatchKey(columns, encodeValues(item, table, resolved), table);
}

/** An item with an error is left out here; its own run reports the error. */
async function collectKeys(item: Item, table: Table): Promise<MatchKey[]> {
  const readKey = async (peer: Item) =>
    peer.read(tableLocator) === table.id ? readMatchKey(peer, table) : undefined;
  const keys = await Promise.all(item.listPeers().map((peer) => readKey(peer).catch(() => undefined)));
  return uniqBy(
    keys.filter((key) => key !== undefined),
    ({ text }) => text,
  );
}

/** The keys of the items in a batch, which one request looks up. */
export const createKeyBatch = (item: Item, table: Table): KeyBatch => ({
  name: item.batch,
  listKeys: () => collectKeys(item, table),
});
