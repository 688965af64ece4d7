/**
 * The sync of a table, up to its ordered plan. `planTableSync` reads the inputs and the records, compares them, and
 * orders the changes.
 */
import { isEqual, uniqBy, zip } from 'lodash';
import {
  asThrown,
  type Client,
  InputError,
  isBlank,
  isRefusedValue,
  joinFirst,
  MAX_PAGE_SIZE,
  type ServiceRecord,
} from '../../service';
import type { PayloadEntries, PayloadValue } from '../fields/field';
import { getKind } from '../fields/kinds';
import { getRawValue } from '../fields/recordValues';
import { type FieldRef, type Table, UnknownFieldError, getValueField } from '../fields/table';
import type { FilterGroup } from '../filter/tree';
import {
  countKeysPerRequest,
  type MatchKey,
  createMatchKey,
  describeKey,
  findByKeys,
  findStoredKey,
  toMatchKey,
} from '../reading/findByValues';
import { fetchRecordPage, readAllRecords } from '../reading/readRecords';
import { ensureNoLinkKey } from '../writing/payload';
import { type Selection, selectRecords } from '../writing/selectRecords';
import { type MatchedPlan, type SyncInput, type SyncOrder, orderChanges, planSync } from './planSync';

/**
 * Compares inputs with the records of a table, and orders the changes that make them equal. `applySync` makes them.
 * @example
 * const entries = encodeRecordValues({ sku: 'A1', price: 5 }, table, { timeZone: 'UTC' });
 * const inputs = [{ index: 0, read: () => ({ entries }) }];
 * const plan = await planTableSync(client, { table, matchColumns: ['sku'], inputs });
 * plan.creates; // [{ index: 0, entries: [['sku', 'A1'], ['price', 5]], … }]
 * @throws InputError if inputs have invalid values or no key, if several inputs or several records have one key, if a column
 *   to match on can hold several values, and without `continuesOnFail` if there is no order of the changes
 */
export async function planTableSync(client: Client, comparison: SyncComparison): Promise<OrderedSyncPlan> {
  const { table, matchColumns, deletes = false, selection, continuesOnFail = false } = comparison;
  const columns = resolveMatchColumns(matchColumns, table);
  const inputs = await readInputs(comparison);
  const readAt = client.clock.now();
  const selected = deletes && selection && (await selectRecords(client, table, selection));
  const readsAll = deletes && !selection;
  const found = await findRecords(client, table, inputs, matchColumns, readsAll);
  const { records } = found;
  const deletable = selected ? selected.records : deletes ? records : [];
  const getKey = (record: ServiceRecord) => formatRecordKey(record, columns);
  const seesAll = !client.credential.hasUserLogin;
  const plan = planSync({ table, inputs, records, deletable, getKey, seesAll });
  ensureNoneSimilar(plan.creates, comparison, columns, found);
  const known = uniqBy([...deletable, ...records], ({ id }) => id);
  const order = orderChanges(plan, known, table);
  if (order.stuckReason !== undefined && !continuesOnFail) {
    throw new InputError(
      order.stuckReason,
      `Nothing was sent. ${STUCK_REMEDY} To make all other changes, set "On Error" in the node's settings.`,
    );
  }
  if (table.findField('connected_to')) for (const { entries } of plan.creates) ensureNoLinkKey(entries);
  const scope = deletable.length;
  const filters = selected ? selected.filters : undefined;
  return { ...plan, table, matchColumns, filters, order, inputs, columns, scope, readAt, continuesOnFail };
}

/** The remedy in an error with `order.stuckReason`. */
export const STUCK_REMEDY =
  'Each of these changes needs another one of them to be made first. Run Sync with other values in this field first, and then with these.';

/** Keeps the columns apart from the values, so that the inputs share them: 100,000 inputs take a third of the memory. */
class InputRow implements SyncInput {
  constructor(
    readonly index: number,
    readonly key: string,
    private readonly columns: string[],
    private readonly values: PayloadValue[],
    readonly missing: string[] | undefined,
  ) {}

  get entries(): PayloadEntries {
    return zip(this.columns, this.values) as PayloadEntries;
  }
}

/**
 * Reads the values and the key of each input.
 * @throws InputError that lists the inputs with an invalid value or without a key; none is left out, because its record
 *   could then be deleted
 */
async function readInputs({ table, matchColumns, inputs }: SyncComparison): Promise<SyncInput[]> {
  const rows: SyncInput[] = [];
  let columns: string[] = [];
  let count = 0;
  const problems: Array<{ index: number; error: InputError }> = [];
  for await (const { index, read } of inputs) {
    count++;
    try {
      const { entries, missing } = await read();
      const key = createSyncKey(matchColumns, entries, table);
      const names = entries.map(([name]) => name);
      columns = isEqual(columns, names) ? columns : names;
      const values = entries.map(([, value]) => value);
      rows.push(new InputRow(index, key, columns, values, missing));
    } catch (error) {
      if (!(error instanceof InputError) || error instanceof UnknownFieldError) throw asThrown(error);
      problems.push({ index, error });
    }
  }
  const [first] = problems;
  if (!first) return rows;
  const texts = problems.map(({ index, error }) => `item ${index + 1}: ${error.message}`);
  throw new InputError(
    `${problems.length} of ${count} items cannot be synced: ${joinFirst(texts, '; ')}`,
    `Nothing was sent. Correct these items, or remove them from the input. For item ${first.index + 1}: ${first.error.description}`,
  );
}

/**
 * Looks up the keys of inputs.
 * @returns what was found, by the texts of the keys. Undefined if the service refuses a key, or returns a record that is
 *   similar to none of the keys: it then does not evaluate the conditions as expected, and the whole table must be read
 */
export async function findInputKeys(client: Client, table: Table, keys: MatchKey[]) {
  const answers = await findByKeys(client, table, keys).catch((error: unknown) => {
    if (isRefusedValue(error)) return undefined;
    throw asThrown(error);
  });
  return answers && [...answers.values()].some(({ hasStrays }) => hasStrays) ? undefined : answers;
}

/**
 * Finds the records that may have the keys of the inputs: by the keys or in the whole table, whichever needs fewer requests.
 * @param columns payload keys of the columns to match on
 * @param readsAll whether the whole table is needed in any case
 */
async function findRecords(
  client: Client,
  table: Table,
  inputs: SyncInput[],
  columns: string[],
  readsAll: boolean,
): Promise<{ records: ServiceRecord[]; answers?: Awaited<ReturnType<typeof findByKeys>> }> {
  const tableId = table.id;
  const firstPage = await fetchRecordPage(client, { tableId }, 1, MAX_PAGE_SIZE);
  const pageCount = Math.ceil(firstPage.total_items / MAX_PAGE_SIZE);
  const usesKeys = !readsAll && inputs.length / countKeysPerRequest(client) < pageCount - 1;
  const createKeys = () => inputs.map(({ entries }) => createMatchKey(columns, entries, table));
  const answers = usesKeys ? await findInputKeys(client, table, createKeys()) : undefined;
  if (answers) {
    // The keys of a batch share one list.
    const lists = new Set([...answers.values()].map(({ listed }) => listed));
    return { records: uniqBy([...lists].flat(), ({ id }) => id), answers };
  }
  return { records: await readAllRecords(client, { tableId, firstPage }) };
}

/**
 * Checks that no record is similar to an input that would be created: the service may have stored its key in this form, and
 * each run would create it again.
 * @throws InputError that names the items and the records
 */
function ensureNoneSimilar(
  creates: SyncInput[],
  { table, matchColumns }: SyncComparison,
  columns: FieldRef[],
  { records, answers }: Awaited<ReturnType<typeof findRecords>>,
): void {
  const byKey = new Map<string, ServiceRecord>();
  if (!answers)
    for (const record of records) {
      const key = createRecordKey(record, columns);
      if (key) byKey.set(key.text, record);
    }
  const toKey = ({ entries, missing }: SyncInput) =>
    missing ? undefined : createMatchKey(matchColumns, entries, table);
  const indexes = new Map<string, number>();
  const problems = creates.flatMap((input) => {
    const { index } = input;
    const key = toKey(input);
    if (!key) return [];
    const text = (findStoredKey(key) ?? key).text;
    const other = indexes.get(text);
    indexes.set(text, index);
    if (other !== undefined)
      return `item ${index + 1}: ${key.text} may be the same as that of item ${other + 1}`;
    const similar = answers ? answers.get(key.text)?.similar : byKey.get(findStoredKey(key)?.text ?? '');
    return similar ? `item ${index + 1}: record ${similar.id} has ${describeKey(similar, key)}` : [];
  });
  if (problems.length === 0) return;
  throw new InputError(
    `It is not clear whether a record belongs to these items: ${joinFirst(problems, '; ')}`,
    'Nothing was sent. The values differ in case, blanks or accents alone, and the service may have stored them in this form. Give the values as the records have them.',
  );
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

/** Creates the key of a record for a look-up. Undefined if the record has no single value in a column to match on. */
export function createRecordKey(record: ServiceRecord, columns: FieldRef[]): MatchKey | undefined {
  const values = readKeyValues(
    columns.map((column) => getRawValue(record, column)),
    columns,
  );
  const matches = columns.flatMap((ref, index) => {
    const value = values?.[index];
    return typeof value === 'string' || typeof value === 'number' ? { ref, value } : [];
  });
  return matches.length === columns.length ? toMatchKey(matches) : undefined;
}

export const formatRecordKey = (record: ServiceRecord, columns: FieldRef[]): string | undefined =>
  formatKey(
    columns.map((column) => getRawValue(record, column)),
    columns,
  );

/** Creates the key of an input. @throws InputError without a single value for each column that can be compared */
export function createSyncKey(matchColumns: string[], entries: PayloadEntries, table: Table): string {
  const { matches, text } = createMatchKey(matchColumns, entries, table);
  const key = formatKey(
    matches.map(({ value }) => value),
    matches.map(({ ref }) => ref),
  );
  if (key !== undefined) return key;
  throw new InputError(`The values to match on cannot be compared: ${text}`, 'Match on another field.');
}

/** @throws InputError for a column that can hold several values */
function resolveMatchColumns(names: string[], table: Table): FieldRef[] {
  if (names.length === 0) {
    throw new InputError(
      'There is no field to match on',
      'Choose at least one under "Fields to Match On". Nothing was sent.',
    );
  }
  return names.map((name) => {
    const column = table.resolvePayloadField(name, 'Fields to Match On');
    if (!column.field.connection?.many) return column;
    throw new InputError(
      `Fields to Match On: "${column.field.name}" can hold several records`,
      'Choose a field with one value for each record. Nothing was sent.',
    );
  });
}

/** The inputs and the records to compare. */
interface SyncComparison {
  table: Table;
  /** Payload keys of the columns to match on. */
  matchColumns: string[];
  /** The inputs. They are read when the columns to match on were checked. */
  inputs: Iterable<SyncSource> | AsyncIterable<SyncSource>;
  /** Whether records without an input are to be deleted. */
  deletes?: boolean;
  /** The records that may be deleted; all of the table by default. */
  selection?: Selection;
  /** Whether the other writes are made after one that failed, and if some of them cannot be ordered. */
  continuesOnFail?: boolean;
}

/** An input whose values are not read yet. */
interface SyncSource {
  index: number;
  /** @throws InputError for a value that cannot be written */
  read(): MaybePromise<Pick<SyncInput, 'entries' | 'missing'>>;
}

type MaybePromise<T> = T | Promise<T>;

/** A sync plan with the order of its changes. */
export interface OrderedSyncPlan
  extends MatchedPlan, Pick<SyncComparison, 'table' | 'matchColumns' | 'continuesOnFail'> {
  /** The filter of the records that may be deleted. */
  filters?: FilterGroup;
  order: SyncOrder;
  inputs: SyncInput[];
  columns: FieldRef[];
  /** The number of records that may be deleted. */
  scope: number;
  /** When its records were requested, in milliseconds of the client's clock. */
  readAt: number;
}
