import { chunk, isEqual, zip } from 'lodash';
import { Semaphore } from '../../../client/concurrency/queue';
import { isRefusedValue } from '../../../client/errors/apiError';
import type { PayloadEntries, PayloadValue } from '../../../client/fields/field';
import { getKind } from '../../../client/fields/kinds';
import { getRawValue } from '../../../client/fields/recordValues';
import { type FieldRef, type Table, UnknownFieldError, getValueField } from '../../../client/fields/table';
import type { Client } from '../../../client/http/client';
import { InputError, asThrown, joinFirst } from '../../../client/input/inputError';
import { isBlank } from '../../../client/input/values';
import { MAX_PAGE_SIZE } from '../../../client/paging/pages';
import { fetchRecordPage, readAllRecords } from '../../../client/records/readRecords';
import { type MatchKey, buildMatchFilter, createMatchKey, isStray } from '../../../client/records/upsert';
import { KEYS_PER_REQUEST } from '../../../client/records/upsert';
import type { ServiceRecord } from '../../../client/responses/records';
import type { SyncInput } from '../../../client/sync/planSync';
import { prepareRecordEntries } from '../../../n8n/columns/recordEntries';
import { iterateInTurns } from '../../../n8n/operation/checkForm';
import type { Item, Items } from '../../../n8n/operation/item';

/** Average number of new records per page of 200 in a verified list, whose neighbouring pages overlap. */
const RECORDS_PER_PAGE = 180;

/** The records that may belong to the keys, and whether they are all records of the table. */
interface FoundRecords {
  records: ServiceRecord[];
  isWholeTable: boolean;
}

/**
 * Looks up keys, 50 with each request.
 * @returns undefined when the service refuses a key or returns a record that has none of the keys. The service then
 *   evaluates a condition differently, so the caller must read all records.
 */
export async function findByKeys(
  client: Client,
  table: Table,
  inputs: SyncInput[],
  columns: string[],
): Promise<ServiceRecord[] | undefined> {
  const semaphore = new Semaphore(client.concurrency);
  const readBatch = async (batch: SyncInput[]) => {
    const keys = batch.map(({ entries }) => createMatchKey(columns, entries, table));
    const records = await readAllRecords(client, { tableId: table.id, filters: buildMatchFilter(keys) });
    return records.some((record) => isStray(record, keys)) ? undefined : records;
  };
  try {
    const batches = chunk(inputs, KEYS_PER_REQUEST);
    const found = await Promise.all(batches.map((batch) => semaphore.run(() => readBatch(batch))));
    if (found.includes(undefined)) return undefined;
    const byId = new Map(found.flatMap((records = []) => records.map((record) => [record.id, record])));
    return [...byId.values()];
  } catch (error) {
    if (isRefusedValue(error)) return undefined;
    throw asThrown(error);
  }
}

/**
 * Finds the records of the inputs in the way that needs fewer requests. `columns` are those to match on. `readsAll`
 * requires all records of the table.
 */
export async function findRecords(
  client: Client,
  table: Table,
  inputs: SyncInput[],
  columns: string[],
  readsAll: boolean,
): Promise<FoundRecords> {
  const tableId = table.id;
  const firstPage = await fetchRecordPage(client, { tableId }, 1, MAX_PAGE_SIZE);
  const pageCount = Math.ceil((firstPage.total_items ?? Infinity) / RECORDS_PER_PAGE);
  const usesKeys = !readsAll && inputs.length / KEYS_PER_REQUEST < pageCount - 1;
  const records = usesKeys ? await findByKeys(client, table, inputs, columns) : undefined;
  if (records) return { records, isWholeTable: false };
  return { records: await readAllRecords(client, { tableId, firstPage }), isWholeTable: true };
}

/** Reads one value for each column. @returns undefined when one is empty, unreadable or a list of several values */
function readKeyValues(values: unknown[], columns: FieldRef[]): unknown[] | undefined {
  const parts = columns.map((column, index) => {
    const field = getValueField(column);
    const found = [getKind(field).read(values[index], field)].flat();
    return found.length === 1 && !isBlank(found[0]) ? found[0] : undefined;
  });
  return parts.includes(undefined) ? undefined : parts;
}

/**
 * Formats values as one text. All notations of equal values have the same text, for example "7" and 7 of a number.
 * @returns undefined when a value is empty, unreadable or a list of several values
 */
function formatKey(values: unknown[], columns: FieldRef[]): string | undefined {
  const parts = readKeyValues(values, columns);
  return parts && JSON.stringify(parts);
}

/** Returns the key of a record for a look-up; undefined when it has no single value in a match column. */
export function createRecordKey(record: ServiceRecord, columns: FieldRef[]): MatchKey | undefined {
  const values = readKeyValues(
    columns.map((column) => getRawValue(record, column)),
    columns,
  );
  if (!values) return undefined;
  const matches = columns.flatMap((slot, index) => {
    const value = values[index];
    return typeof value === 'string' || typeof value === 'number' ? { slot, value } : [];
  });
  return matches.length === columns.length ? { matches, text: JSON.stringify(values) } : undefined;
}

export const formatRecordKey = (record: ServiceRecord, columns: FieldRef[]): string | undefined =>
  formatKey(
    columns.map((column) => getRawValue(record, column)),
    columns,
  );

/** @throws InputError when the key cannot be compared with those of records */
function formatInputKey({ matches, text }: MatchKey): string {
  const key = formatKey(
    matches.map(({ value }) => value),
    matches.map(({ slot }) => slot),
  );
  if (key !== undefined) return key;
  throw new InputError(`The key ${text} cannot be compared`, 'Match on another column.');
}

/** Returns the columns to match on. @throws InputError for a column that can hold several values */
export function resolveMatchColumns(names: string[], table: Table): FieldRef[] {
  if (names.length === 0) {
    throw new InputError(
      'There is no column to match on',
      'Choose at least one under "Columns to Match On". Nothing was sent.',
    );
  }
  return names.map((name) => {
    const column = table.resolvePayloadField(name, 'Columns to Match On');
    if (!column.field.connection?.many) return column;
    throw new InputError(
      `Columns to Match On: "${column.field.name}" can hold several records`,
      'Choose a column with one value for each record. Nothing was sent.',
    );
  });
}

/** Keeps the columns apart from the values, so that the items share them: 100,000 items take a third of the memory. */
class InputRow implements SyncInput {
  constructor(
    readonly index: number,
    readonly key: string,
    private readonly columns: string[],
    private readonly values: PayloadValue[],
    readonly hasMissing: boolean,
  ) {}

  get entries(): PayloadEntries {
    return zip(this.columns, this.values) as PayloadEntries;
  }
}

/** Returns the checked values of an item, and its key. @throws InputError */
async function readEntries(item: Item, table: Table, matchColumns: string[]) {
  const { preview: entries, hasMissing } = await prepareRecordEntries(item, table, {
    filesRemedy: 'Files cannot be compared. Leave the column out, and write files with Create or Update.',
  });
  return { key: formatInputKey(createMatchKey(matchColumns, entries, table)), entries, hasMissing };
}

/**
 * Reads the values and the key of each item.
 * @throws InputError that lists the items with an invalid value or without a key; no item is left out, because its
 *   record could then be deleted
 * @throws AbortedError after the run was cancelled
 */
export async function readInputs(items: Items, table: Table, matchColumns: string[]): Promise<SyncInput[]> {
  const inputs: SyncInput[] = [];
  let columns: string[] = [];
  const problems: Array<{ index: number; error: InputError }> = [];
  for await (const item of iterateInTurns(items)) {
    try {
      const { key, entries, hasMissing } = await readEntries(item, table, matchColumns);
      const names = entries.map(([name]) => name);
      columns = isEqual(columns, names) ? columns : names;
      const values = entries.map(([, value]) => value);
      inputs.push(new InputRow(item.index, key, columns, values, hasMissing));
    } catch (error) {
      if (!(error instanceof InputError) || error instanceof UnknownFieldError) throw asThrown(error);
      problems.push({ index: item.index, error });
    }
  }
  const [first] = problems;
  if (!first) return inputs;
  const texts = problems.map(({ index, error }) => `item ${index}: ${error.message}`);
  throw new InputError(
    `${problems.length} of ${items.length} items cannot be synced: ${joinFirst(texts, '; ')}`,
    `Nothing was sent. Correct these items, or remove them from the input. For item ${first.index}: ${first.error.remedy}`,
  );
}
