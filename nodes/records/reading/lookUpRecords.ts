import { type Client, memory, type ServiceRecord } from '../../service';
import type { Table } from '../fields/table';
import { type KeyBatch, KeyLookup, type MatchKey, findByKey } from './findByValues';

/**
 * Finds the records of a key, without a change. The keys of its batch share a request. Where the service lists by GET alone,
 * each key is a request.
 * @example
 * const key = createMatchKey(['email'], [['email', 'ada@example.com']], table);
 * await lookUpRecords(client, table, key, { name: 0, listKeys: async () => [key] }); // [{ id: 'K7pQ2xW9Lm', … }]
 * @throws ApiError for a failed request, or if it is not known whether a record has the key
 */
export async function lookUpRecords(
  client: Client,
  table: Table,
  key: MatchKey,
  batch: KeyBatch,
): Promise<ServiceRecord[]> {
  const found = await getKeyLookup(client).find(client, table, key, batch);
  return found?.records ?? findByKey(client, table, key);
}

const getKeyLookup = memory.attached<Client, KeyLookup>(
  'keyLookups',
  { to: 'client', holds: 'the records that Look Up has found, by the batches of its items' },
  () => new KeyLookup(),
);
