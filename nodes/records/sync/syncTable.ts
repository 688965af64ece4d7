/** Plans the sync of a table: reads the inputs and the records, and compares them. */
import { groupBy, isEqual, uniqBy } from 'lodash';
import { asThrown, type Client, InputError, joinFirstTexts, type ServiceRecord } from '../../service';
import { type PayloadEntries, type PayloadValue, RefusedValue } from '../fields/field';
import { type FieldRef, type Table, UnknownFieldError } from '../fields/table';
import type { FilterGroup } from '../filter/tree';
import { formatRecordIds } from '../reading/compareRecords';
import {
  createMatchKey,
  describeKey,
  hasBlankKey,
  KeyIndex,
  listRecordKeys,
  type MatchKey,
} from '../reading/matchKey';
import { readAllRecords } from '../reading/readRecords';
import { getReader } from '../reading/recordReader';
import { refuseConnectedTo } from '../writing/payload';
import { type RecordSelection, selectRecords } from '../writing/selectRecords';
import { planSync, type SyncInput, type SyncPlan } from './planSync';

/**
 * Plans the changes after which the records have the values of the inputs. `applySync` makes them.
 * @example
 * const entries = encodeRecordValues({ sku: 'A1', price: 5 }, table, { timeZone: 'UTC' });
 * const inputs = [{ index: 0, read: () => ({ entries }) }];
 * const plan = await planTableSync(client, { table, columns: [table.requireWritableRef('sku', 'Key')], inputs });
 * plan.creates; // [{ index: 0, entries: [['sku', 'A1'], ['price', 5]], … }]
 * @throws ApiError for a failed request; InputError for an input with an invalid value or without a key
 * @throws InputError if several inputs or records have one key, or if a column to match on can hold several values
 */
export async function planTableSync(client: Client, comparison: SyncPlanOptions): Promise<TableSyncPlan> {
  const { table, columns, deletes = false, selection } = comparison;
  ensureMatchableColumns(columns);
  const inputs = await readSyncInputs(comparison.inputs, columns);
  const readAt = client.clock.now();
  const selected = deletes && selection && (await selectRecords(client, table, selection));
  const readsAll = deletes && !selection;
  const records = readsAll
    ? await readAllRecords(client, { tableId: table.id, table, fields: columns.map(({ field }) => field) })
    : await findKeyMatches(client, table, inputs);
  const deletable = selected ? selected.records : deletes ? records : [];
  const getKey = (record: ServiceRecord) => readRecordKey(record, columns);
  const seesAll = !client.credential.hasUserLogin;
  const plan = planSync({ table, inputs, records, deletable, getKey, seesAll });
  ensureNoRefusedValue(plan, inputs.length);
  ensureKeysReadable(plan.deletes, columns);
  ensureNoSimilarKeys(plan.creates, inputs, records, columns);
  if (table.findField('connected_to')) for (const { entries } of plan.creates) refuseConnectedTo(entries);
  const deletableCount = deletable.length;
  const filters = selected ? selected.filters : undefined;
  return { ...plan, table, filters, inputs, columns, deletableCount, readAt };
}

/**
 * Inputs with equal columns share one list of columns, and a key is computed when it is needed. Objects with entries of
 * their own take four times as much memory.
 */
class CompactSyncInput implements SyncInput {
  constructor(
    readonly index: number,
    private readonly readKey: (entries: PayloadEntries) => MatchKey,
    private readonly columns: string[],
    private readonly values: PayloadValue[],
    /** The values as the user gave them. Undefined if none of the values was converted. */
    private readonly given: unknown[] | undefined,
    readonly missing: string[] | undefined,
  ) {}

  get key(): MatchKey {
    return this.readKey(this.entries);
  }

  get entries(): PayloadEntries {
    const { columns, values, given } = this;
    return columns.map((key, at) => [key, values[at] as PayloadValue, given?.[at]]);
  }
}

/** @throws InputError that lists the invalid inputs. None is left out, because Sync would then delete its record */
async function readSyncInputs(inputs: SyncPlanOptions['inputs'], refs: FieldRef[]): Promise<SyncInput[]> {
  const readKey = (entries: PayloadEntries) => createMatchKey(refs, entries);
  const rows: SyncInput[] = [];
  let columns: string[] = [];
  let count = 0;
  const problems: Array<{ index: number; error: InputError }> = [];
  for await (const { index, read } of inputs) {
    count++;
    try {
      const { entries, missing } = await read();
      readKey(entries);
      const names = entries.map(([name]) => name);
      columns = isEqual(columns, names) ? columns : names;
      const values = entries.map(([, value]) => value);
      const isConverted = entries.some(([, , given]) => given !== undefined);
      const given = isConverted ? entries.map(([, , one]) => one) : undefined;
      rows.push(new CompactSyncInput(index, readKey, columns, values, given, missing));
    } catch (error) {
      if (!(error instanceof InputError) || error instanceof UnknownFieldError) throw asThrown(error);
      problems.push({ index, error });
    }
  }
  ensureNoInvalidItems(problems, count);
  return rows;
}

/** @throws InputError that lists the items with problems */
function ensureNoInvalidItems(problems: Array<{ index: number; error: InputError }>, count: number): void {
  const [first] = problems;
  if (!first) return;
  const texts = problems.map(({ index, error }) => `item ${index + 1}: ${error.message}`);
  throw new InputError(
    `${problems.length} of ${count} items cannot be synced: ${joinFirstTexts(texts, '; ')}`,
    `Nothing was sent. Correct these items, or remove them from the input. For item ${first.index + 1}: ${first.error.description}`,
  );
}

/** @throws InputError that lists the items with refused values */
function ensureNoRefusedValue({ creates, updates }: SyncPlan, count: number): void {
  const problems = [...creates, ...updates].flatMap(({ index, entries }) => {
    const refused = entries.map(([, value]) => value).find((value) => value instanceof RefusedValue);
    return refused ? [{ index, error: refused.error }] : [];
  });
  ensureNoInvalidItems(problems, count);
}

/** Finds the records with equal or similar keys. @throws ApiError if the service did not compare the keys */
async function findKeyMatches(client: Client, table: Table, inputs: SyncInput[]): Promise<ServiceRecord[]> {
  const keys = inputs.map(({ key }) => key);
  const answers = await getReader(client, table).searchByKeys(keys, { startsWithPage: true, isFresh: true });
  const found = [...answers.values()].flatMap(({ records, similar, error }) => {
    if (error !== undefined) throw asThrown(error);
    return [...records, ...similar];
  });
  return uniqBy(found, ({ id }) => id);
}

/** @throws InputError for a new record whose key differs from another key only in case */
function ensureNoSimilarKeys(
  creates: SyncInput[],
  inputs: SyncInput[],
  records: ServiceRecord[],
  columns: FieldRef[],
): void {
  if (creates.length === 0) return;
  const index = new KeyIndex(records, columns);
  const groups = groupBy(inputs, ({ key }) => key.caselessText);
  const problems = creates.flatMap((input) => {
    const { key, missing } = input;
    if (missing) return [];
    const [similar] = index.findMatches(key).similar;
    const other = groups[key.caselessText]?.find((one) => one !== input);
    if (similar) return `item ${input.index + 1}: record ${similar.id} has ${describeKey(similar, key)}`;
    return other ? `item ${input.index + 1}: item ${other.index + 1} has ${other.key.text}` : [];
  });
  if (problems.length === 0) return;
  throw new InputError(
    `It is not clear whether a record belongs to these items: ${joinFirstTexts(problems, '; ')}`,
    'Nothing was sent. The values differ in case alone. Correct the records or the items, or match on another field.',
  );
}

/**
 * Checks that each record to delete shows its key. An item may have a key that its record does not show: Sync would
 * then delete this record and create another one.
 * @throws InputError that names the records
 */
function ensureKeysReadable(deletes: ServiceRecord[], columns: FieldRef[]): void {
  const unreadable = deletes.filter((one) => !readRecordKey(one, columns) && !hasBlankKey(one, columns));
  if (unreadable.length === 0) return;
  throw new InputError(
    `${unreadable.length} records to delete may belong to items: ${formatRecordIds(unreadable)}`,
    'Nothing was sent. The service does not show their value in a field to match on, or shows one that the field cannot hold. Correct the records, or match on another field.',
  );
}

/** @returns undefined if a column to match on has no value, or several values */
export function readRecordKey(record: ServiceRecord, columns: FieldRef[]): MatchKey | undefined {
  const [key, ...others] = listRecordKeys(record, columns);
  return others.length === 0 ? key : undefined;
}

/** @throws InputError for a column that can hold several values */
function ensureMatchableColumns(columns: FieldRef[]): void {
  if (columns.length === 0) {
    throw new InputError(
      'There is no field to match on',
      'Choose at least one under "Fields to Match On". Nothing was sent.',
    );
  }
  const several = columns.find(({ field }) => field.connection?.many);
  if (!several) return;
  throw new InputError(
    `Fields to Match On: "${several.field.name}" can hold several records`,
    'Choose a field with one value for each record. Nothing was sent.',
  );
}

interface SyncPlanOptions {
  table: Table;
  columns: FieldRef[];
  /** The input items. They are read only after the columns to match on were checked. */
  inputs: Iterable<SyncInputSource> | AsyncIterable<SyncInputSource>;
  /** Whether records without an input are deleted. */
  deletes?: boolean;
  /** The records that may be deleted. By default, all records of the table. */
  selection?: RecordSelection;
}

interface SyncInputSource {
  index: number;
  /** @throws InputError for a value that cannot be written */
  read(): SyncInputValues | Promise<SyncInputValues>;
}

type SyncInputValues = Pick<SyncInput, 'entries' | 'missing'>;

export interface TableSyncPlan extends SyncPlan, Pick<SyncPlanOptions, 'table' | 'columns'> {
  /** The filter that selected the records that may be deleted. */
  filters?: FilterGroup;
  inputs: SyncInput[];
  deletableCount: number;
  /** When the records were requested, in milliseconds of the client's clock. */
  readAt: number;
}
