/** Looks records up for items that write nothing: `lookUpRecords` is the entry. */
import { type Client, MAX_PAGE_SIZE, memory, RequestCache, type ServiceRecord } from '../../service';
import { getKind } from '../fields/kinds';
import { tidyText } from '../fields/plainKinds';
import { readValue } from '../fields/recordValues';
import { type FieldRef, type Table, formatFilterId, getValueField } from '../fields/table';
import {
  type KeyBatch,
  KeyLookup,
  type MatchKey,
  findByKey,
  isSimilarToKey,
  matchesKey,
} from './findByValues';
import { canListByPost, fetchRecordPage, readAllRecords } from './readRecords';

/**
 * Finds the records of a key, without a change. The keys of its batch share a request. Where the service lists by GET alone,
 * each key is a request, or the pages of the table are read, whichever takes fewer requests.
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
  if (!canListByPost(client) && isIndexed(key)) {
    const name = JSON.stringify([table.id, formatFilterId(key.matches[0].ref)]);
    const index = await getSmallTables(client).get(name, () => readSmallTable(client, table, key, batch));
    const candidates = index?.find(key) ?? [];
    const records = candidates.filter((record) => matchesKey(record, key));
    // Of a record that differs in case or blanks alone, the service says whether it has the key.
    if (index && (records.length > 0 || !candidates.some((one) => isSimilarToKey(one, key)))) return records;
  }
  const found = await getKeyLookup(client).find(client, table, key, batch);
  return found?.records ?? findByKey(client, table, key);
}

const getKeyLookup = memory.attached<Client, KeyLookup>(
  'keyLookups',
  { to: 'client', holds: 'the records that Look Up has found, by the batches of its items' },
  () => new KeyLookup(),
);

/** Texts that differ in case and blanks alone have one form. */
const toForm = (value: unknown): string => tidyText(String(value)).toLowerCase();

/** The records of a whole table by their values in one field. */
class FieldIndex {
  private readonly byValue = new Map<string, ServiceRecord[]>();

  constructor(records: ServiceRecord[], ref: FieldRef) {
    for (const record of records)
      for (const value of [readValue(record, ref)].flat()) {
        const form = toForm(value);
        const found = this.byValue.get(form);
        if (found) found.push(record);
        else this.byValue.set(form, [record]);
      }
  }

  /** The records whose value is equal or similar to that of the key. */
  find({ matches: [{ ref, value }] }: IndexedKey): ServiceRecord[] {
    const field = getValueField(ref);
    return this.byValue.get(toForm(getKind(field).read(value, field))) ?? [];
  }
}

/** A key whose first field has one text for all notations of a value. */
type IndexedKey = MatchKey & { matches: [MatchKey['matches'][0], ...MatchKey['matches']] };

const isIndexed = (key: MatchKey): key is IndexedKey => {
  const [first] = key.matches;
  return first !== undefined && getKind(getValueField(first.ref)).isEqual === undefined;
};

/** Reads a table if it has fewer pages than a batch has keys. Its pages also serve the batches after this one. */
async function readSmallTable(
  client: Client,
  { id: tableId }: Table,
  { matches: [{ ref }] }: IndexedKey,
  batch: KeyBatch,
): Promise<FieldIndex | undefined> {
  const { length } = await batch.listKeys();
  // The first page is read to learn the number of pages.
  if (length < 3) return undefined;
  const firstPage = await fetchRecordPage(client, { tableId }, 1, MAX_PAGE_SIZE);
  if (firstPage.total_items / MAX_PAGE_SIZE >= length) {
    client.notices.addHint('Each key took a request of its own: this service lists records by GET alone.');
    return undefined;
  }
  client.notices.addHint(
    'The whole table was read in place of one request for each key: this service lists records by GET alone.',
  );
  return new FieldIndex(await readAllRecords(client, { tableId, firstPage }), ref);
}

/** By the table and the first field of the keys. */
const getSmallTables = memory.attached<Client, RequestCache<FieldIndex | undefined>>(
  'smallTables',
  { to: 'client', holds: 'tables that Look Up has read whole, where a service lists by GET alone' },
  () => new RequestCache(),
);
