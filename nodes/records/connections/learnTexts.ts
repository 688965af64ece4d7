/**
 * The texts of connected records that no answer showed. `addConnectedTexts` reads them, with at most 20 requests in an
 * execution, and adds them to the records.
 */
import { type Client, memory } from '../../service';
import type { Field } from '../fields/field';
import type { RecordValues } from '../fields/recordValues';
import type { Table } from '../fields/table';
import {
  type Connection,
  createTextsKey,
  findText,
  listBareConnections,
  listConnections,
  rememberText,
  rememberTexts,
  withKnownTexts,
} from '../reading/connectedTexts';
import { getRecordsById, type RecordsById } from '../reading/recordsById';
import { type NameLookup, formatRecordName, getNameLookup } from './nameLookup';

/** The largest number of requests of one execution that read texts. */
const MAX_REQUESTS = 20;

/** The records of one connected table that are read for their texts. */
interface Reading {
  lookup: NameLookup;
  records: RecordsById;
  /** The IDs that were asked for. */
  ids: Set<string>;
}

/** Several deliveries of one record, or of one customer, arrive at the same time. */
const textReads = memory.cache<string, 'user'>('textReads', {
  per: 'user',
  holds: 'the text of one connected record, which deliveries at the same time share',
  ttlMs: 1_000,
});

/** The readings of one execution. Its items share them, so that a small table is read as a whole. */
class TextReader {
  private readonly readings = new Map<string, Promise<Reading | undefined>>();
  /** Number of requests that may still be sent. */
  private left = MAX_REQUESTS;

  constructor(private readonly client: Client) {}

  /** The reading of the table that a field connects to. Undefined if its field with the texts is not known. */
  open(field: Field, connection: Connection): Promise<Reading | undefined> {
    const key = JSON.stringify(createTextsKey(connection));
    const reading = this.readings.get(key) ?? this.start(field);
    this.readings.set(key, reading);
    return reading;
  }

  /** Reads the texts of `ids` until the requests are used up. A text that cannot be read stays unknown. */
  async read({ lookup, records, ids: all }: Reading, connection: Connection, ids: string[]): Promise<void> {
    for (const id of ids) {
      if (findText(this.client, connection, id) !== undefined) continue;
      if (this.left <= 0 && !records.holds(id)) return;
      const before = records.requestCount;
      const read = async () =>
        formatRecordName(
          (await records.read(id, { listIds: () => [...all], maxPages: this.left })).record,
          lookup.target,
        );
      const text = await textReads
        .get(this.client, [...createTextsKey(connection), id], read)
        .catch(() => undefined);
      this.left -= records.requestCount - before;
      if (text !== undefined) rememberText(this.client, connection, id, text);
    }
  }

  private async start(field: Field): Promise<Reading | undefined> {
    const lookup = await getNameLookup(this.client, field).catch(() => undefined);
    if (!lookup) return undefined;
    return { lookup, records: getRecordsById(this.client, lookup.target.table), ids: new Set() };
  }
}

const getReader = memory.attached<Client, TextReader>(
  'textReaders',
  { to: 'client', holds: 'the connected records that an execution reads for their texts' },
  (client) => new TextReader(client),
);

/**
 * Adds the texts of connected records to records that show their IDs alone, as a list shows them. Those that no answer showed
 * are read: each connected record, or the pages of its table, whichever takes fewer requests, and at most 20 requests in an
 * execution. A text that cannot be read is left out.
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
  if (listConnections(table).length === 0) return records;
  rememberTexts(client, table, records);
  await readTexts(client, table, records);
  return records.map((record) => withKnownTexts(client, table, record));
}

/** Reads the text of one connected record. Undefined if it cannot be read, or the requests are used up. */
export async function readText(client: Client, field: Field, id: string): Promise<string | undefined> {
  const { connection } = field;
  if (connection?.tableId === undefined) return undefined;
  if (findText(client, connection, id) === undefined) {
    const reader = getReader(client);
    const reading = await reader.open(field, connection);
    reading?.ids.add(id);
    if (reading) await reader.read(reading, connection, [id]);
  }
  return findText(client, connection, id);
}

async function readTexts(client: Client, table: Table, records: RecordValues[]): Promise<void> {
  const reader = getReader(client);
  const unknown = records
    .flatMap((record) => listBareConnections(table, record))
    .map(({ ids, ...one }) => ({
      ...one,
      ids: ids.filter((id) => findText(client, one.connection, id) === undefined),
    }))
    .filter(({ ids }) => ids.length > 0);
  const steps = await Promise.all(
    unknown.map(async ({ field, connection, ids }) => ({
      reading: await reader.open(field, connection),
      connection,
      ids,
    })),
  );
  // All IDs are known before the first one is read: they decide whether the pages of a table are fewer.
  for (const { reading, ids } of steps) for (const id of ids) reading?.ids.add(id);
  for (const { reading, connection, ids } of steps) if (reading) await reader.read(reading, connection, ids);
}
