/**
 * Stores the texts of connected records: the response for a single record may contain only their IDs (evidence 2 and
 * 3). A text from before the run is not added to a record, because the connected record may have been renamed since.
 */
import { type Client, isBlank, isObject, memory, parseList } from '../../service';
import { toNameKey } from '../fields/names';
import { type RecordValues, readConnectedIds } from '../fields/recordValues';
import type { ConnectionField, Table } from '../fields/table';

/** Adds the stored texts under `<slug>_val`. A connection gets no texts if the text of one record is not stored. */
export function addStoredConnectedTexts(client: Client, table: Table, record: RecordValues): RecordValues {
  const added = listConnectionsWithoutTexts(table, record).flatMap(({ connection, displayKey, ids }) => {
    const entries = ids.map((id) => ({ id, val: findConnectedText(client, connection, id) }));
    return entries.every(({ val }) => val !== undefined) ? [[displayKey, entries] as const] : [];
  });
  return added.length > 0 ? { ...record, ...Object.fromEntries(added) } : record;
}

/** Maps the `id` of each `{id, val}` in the values to its `val`, the text of the record (spec: Record). */
export const mapTextsById = (values: unknown[]): Map<string, string> =>
  new Map(
    values
      .flatMap(parseList)
      .filter(isObject)
      .filter(({ id, val }) => !isBlank(id) && val !== undefined && !isObject(val))
      .map(({ id, val }) => [String(id), String(val ?? '')]),
  );

interface StoredTexts {
  /** The newest text is first. Items may still contain earlier texts after the record was renamed. */
  texts: string[];
  /** When the newest text was stored, in milliseconds of the client's clock. */
  storedAt: number;
}

const MAX_RECORDS_WITH_STORED_TEXTS = 10_000;

const MAX_STORED_TEXTS_PER_RECORD = 3;

export type Connection = ConnectionField['connection'];

/** The key includes `nameField`, because two connections to one table may show the texts of different fields. */
export const createConnectionKey = ({ tableId, nameField }: Connection): unknown[] => [tableId, nameField];

const getTextsByConnection = memory.attach<object, Map<string, Map<string, StoredTexts>>>(
  'connectedTexts',
  {
    to: 'execution',
    holds: 'the texts of connected records that answers showed, for at most 10,000 records of a table',
  },
  () => new Map(),
);

/** Returns the texts that the service has shown to the user, by the IDs of the connected records. */
function getTextsById({ execution, credential }: Client, connection: Connection): Map<string, StoredTexts> {
  const all = getTextsByConnection(execution);
  const key = JSON.stringify([credential.fingerprints.user, ...createConnectionKey(connection)]);
  const known = all.get(key) ?? new Map<string, StoredTexts>();
  all.set(key, known);
  return known;
}

export function storeTexts(client: Client, connection: Connection, texts: Iterable<[string, string]>): void {
  const known = getTextsById(client, connection);
  const storedAt = client.clock.now();
  for (const [id, text] of texts) {
    const earlier = (known.get(id)?.texts ?? []).filter((one) => one !== text);
    known.delete(id);
    known.set(id, { texts: [text, ...earlier].slice(0, MAX_STORED_TEXTS_PER_RECORD), storedAt });
    const [oldest] = known.keys();
    if (known.size > MAX_RECORDS_WITH_STORED_TEXTS && oldest !== undefined) known.delete(oldest);
  }
}

/** Deletes the texts of a record, and also those of records of other tables with the same ID (evidence 7). */
export function deleteConnectedTexts({ execution }: Client, id: string): void {
  for (const known of getTextsByConnection(execution).values()) known.delete(id);
}

/** @returns undefined if no response has shown the text of the record since the run began */
export function findConnectedText(client: Client, connection: Connection, id: string): string | undefined {
  const { texts, storedAt = -Infinity } = getTextsById(client, connection).get(id) ?? {};
  return storedAt >= client.startedAt ? texts?.[0] : undefined;
}

export const hasStoredTexts = (client: Client, connection: Connection, id: string): boolean =>
  getTextsById(client, connection).has(id);

/** Whether a response has shown the text for the record, in this run or before it. Ignores case. */
export const isStoredText = (client: Client, connection: Connection, id: string, text: string): boolean =>
  (getTextsById(client, connection).get(id)?.texts ?? []).some((one) => toNameKey(one) === toNameKey(text));

export function storeTextsFromRecords(client: Client, table: Table, records: RecordValues[]): void {
  for (const { field, connection } of table.connections)
    storeTexts(client, connection, mapTextsById(records.map((record) => record[`${field.slug}_val`])));
}

/** A connection of a record that lacks the text of at least one connected record. */
interface ConnectionWithoutTexts extends ConnectionField {
  /** The key of the texts in the record, such as `customer_val`. */
  displayKey: string;
  ids: string[];
}

export const listConnectionsWithoutTexts = (table: Table, record: RecordValues): ConnectionWithoutTexts[] =>
  table.connections.flatMap(({ field, connection }) => {
    const displayKey = `${field.slug}_val`;
    if (table.hasSlug(displayKey)) return [];
    const ids = readConnectedIds(record, { table, field });
    const texts = mapTextsById([record[field.slug], record[displayKey]]);
    return ids.every((id) => texts.has(id)) ? [] : [{ field, connection, displayKey, ids }];
  });
