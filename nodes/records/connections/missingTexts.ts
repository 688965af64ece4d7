/** Reads the texts of connected records that the responses of an execution did not contain. */
import { groupBy, uniq } from 'lodash';
import { type Client, memory } from '../../service';
import type { Field } from '../fields/field';
import { readText, type RecordValues } from '../fields/recordValues';
import type { ConnectionField, Table } from '../fields/table';
import {
  addStoredConnectedTexts,
  createConnectionKey,
  findConnectedText,
  listConnectionsWithoutTexts,
  storeTexts,
  storeTextsFromRecords,
} from '../reading/connectedTexts';
import { getReader, getRunCache } from '../reading/recordReader';
import { getConnectedTable } from './nameLookup';

const MAX_CONNECTED_TEXT_REQUESTS = 20;

/** Webhook deliveries with the same connected record often arrive together. One request reads the text for all. */
const textReads = memory.cache<string, 'user'>('textReads', {
  per: 'user',
  holds: 'the text of one connected record, which deliveries at the same time share',
  ttlMs: 1_000,
});

/**
 * Adds `customer_val` beside `customer`, as in responses that list records. A text that is not cached is read from
 * its record, or from the pages of the table if that takes fewer requests. An execution sends at most 20 requests for
 * texts. A text that cannot be read is left out.
 * @example
 * const record = await readRecord(client, table.id, 'K7pQ2xW9Lm'); // { id: …, customer: ['3MPEYTfLaR'] }
 * await addConnectedTexts(client, table, [record]);
 * // [{ id: …, customer: ['3MPEYTfLaR'], customer_val: [{ id: '3MPEYTfLaR', val: 'Acme' }] }]
 */
export async function addConnectedTexts(
  client: Client,
  table: Table,
  records: RecordValues[],
): Promise<RecordValues[]> {
  // Saves a search through up to 50,000 records if the table has no connections.
  if (table.connections.length === 0) return records;
  storeTextsFromRecords(client, table, records);
  const bare = records.flatMap((record) => listConnectionsWithoutTexts(table, record));
  if (bare.length === 0) return records;
  const groups = groupBy(bare, ({ connection }) => JSON.stringify(createConnectionKey(connection)));
  for (const group of Object.values(groups))
    await fetchMissingTexts(client, group[0]!, uniq(group.flatMap(({ ids }) => ids)));
  return records.map((record) => addStoredConnectedTexts(client, table, record));
}

/** @returns undefined if the text cannot be read, or if the execution has sent 20 requests for texts */
export async function readRecordText(client: Client, field: Field, id: string): Promise<string | undefined> {
  const { connection } = field;
  if (!connection) return undefined;
  await fetchMissingTexts(client, { field, connection }, [id]);
  return findConnectedText(client, connection, id);
}

async function fetchMissingTexts(
  client: Client,
  { field, connection }: ConnectionField,
  ids: string[],
): Promise<void> {
  const run = getRunCache(client);
  const key = createConnectionKey(connection);
  const unknown = ids.filter((id) => findConnectedText(client, connection, id) === undefined);
  if (unknown.length === 0 || run.unnamedConnections.has(JSON.stringify(key))) return;
  const target = await getConnectedTable(client, field).catch(() => undefined);
  if (!target) {
    run.unnamedConnections.add(JSON.stringify(key));
    return;
  }
  const records = getReader(client, target.table);
  for (const id of unknown) {
    const left = MAX_CONNECTED_TEXT_REQUESTS - run.textRequestCount;
    if (left <= 0 && !records.isCached(id)) return;
    const before = records.requestCount;
    const read = async () => {
      const { record } = await records.getRecord(id, { listIds: () => unknown, maxPages: left });
      return readText(record, { table: target.table, field: target.nameField });
    };
    const text = await textReads.get(client, [...key, id], read).catch(() => undefined);
    run.textRequestCount += records.requestCount - before;
    if (text !== undefined) storeTexts(client, connection, [[id, text]]);
  }
}
