/**
 * The operations Batch Update and Check Batch Update: one request gives the same values to all records that meet the
 * conditions. `batchUpdate` counts the records, reads them as they were, and sends the values.
 */
import { omit, uniqBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { clearColumnsOption, createColumnForm, writeOptions } from '../../../n8n/columns/columnForm';
import { ItemValues } from '../../../n8n/columns/itemValues';
import { filterParametersOption, requiredFilterForm } from '../../../n8n/filter/filterForm';
import { readSymbolicFilters } from '../../../n8n/filter/readFilter';
import { hideUntilPicked, tableLocator } from '../../../n8n/lists/tablePickers';
import { createDryRunOption, createMaximumRecordsParameter } from '../../../n8n/operation/bulkChange';
import { Item } from '../../../n8n/operation/item';
import { type Operation, type Output, toOutputs } from '../../../n8n/operation/operation';
import { createOptions, defineParameter } from '../../../n8n/parameters/parameter';
import {
  describeChange,
  fetchRecordPage,
  getKind,
  hasDateCondition,
  keepColumns,
  type PageQuery,
  type PayloadEntries,
  readAllRecords,
  type SymbolicItem,
  Table,
} from '../../../records';
import {
  asObject,
  asThrown,
  explainUncertainWrite,
  InputError,
  mapExplanation,
  mapMany,
  MAX_PAGE_SIZE,
  mayHaveChanged,
  recordEndpoints,
  type RecordList,
  type ServiceRecord,
} from '../../../service';
import { keepOldRecords } from './recordOutputs';

/** The records that a batch update changes. */
type BatchQuery = PageQuery & Required<Pick<PageQuery, 'conditions'>>;

/**
 * Counts the records that meet all conditions (spec: batch-update-check). A condition on `created_at` is tried with a
 * search before: a service that drops it would count, and change, every record, and only the dates of records show it.
 * @returns the response, and the first page of the search if there was one
 * @throws ApiError when the service did not apply a condition on `created_at`
 */
async function countMatches({ client }: Item, query: BatchQuery) {
  const firstPage = hasDateCondition(query)
    ? await fetchRecordPage(client, query, 1, MAX_PAGE_SIZE)
    : undefined;
  const { body } = await client.call(recordEndpoints.batchUpdateCheck, {
    path: { dataTableId: query.tableId },
    body: { filters: { items: query.conditions } },
  });
  return { check: body, firstPage };
}

/** What is known about the records that meet one list of conditions. */
interface Counted extends Awaited<ReturnType<typeof countMatches>> {
  query: BatchQuery;
}

/**
 * Counts the records of each list of conditions: a condition through a connection has one for each connected record. A record
 * that is connected to several of them is counted for each.
 */
const countEach = (item: Item, { id: tableId }: Table, filters: SymbolicItem[][]): Promise<Counted[]> =>
  mapMany(filters, item.client.concurrency, async (conditions) => {
    const query = { tableId, conditions };
    return { query, ...(await countMatches(item, query)) };
  });

const sumTotals = (counts: Counted[]): number => counts.reduce((sum, { check }) => sum + check.total, 0);

export const batchUpdateCheck: Operation = {
  name: 'batchUpdateCheck',
  displayName: 'Check Batch Update',
  action: 'Check batch update',
  description: 'Count the records that a batch update would change, and change nothing',
  parameters: [
    tableLocator,
    ...hideUntilPicked('dataTableId', requiredFilterForm),
    createOptions(filterParametersOption),
  ],
  async run(item) {
    const table = await item.getFreshTable(item.read(tableLocator));
    const filters = await readSymbolicFilters(item, table, {
      operation: 'Check Batch Update',
      alternative: 'Count has all operators, groups and OR.',
    });
    const counts = await countEach(item, table, filters);
    const [first] = counts;
    if (counts.length === 1) return toOutputs(first?.check);
    return toOutputs({ type: 'success', total: sumTotals(counts) });
  },
};

/**
 * Checks that a batch update can write a column. The spec defines no notation for a part of a field in `values`,
 * and the service ignores a name that it does not know.
 * Open point: `batchParts`.
 * @throws InputError for a part of a field or a File column
 */
function ensureBatchColumn(key: string, table: Table): void {
  const { field, part } = table.resolvePayloadField(key, 'Fields');
  if (!getKind(field).holdsFiles && !part) return;
  throw new InputError(
    part
      ? `"${field.name}: ${part.label}" cannot be set for many records at once`
      : `"${field.name}" is a File field and cannot be set for many records at once`,
    `Nothing was sent: the batch update of the service takes ${part ? 'no parts of a field' : 'no files'}. Use Update for each record.`,
  );
}

const createNothingToChangeError = () =>
  new InputError('Nothing to change: no field has a value', 'Add at least one field under "Fields".');

/** The response shows no records, so the connected records are checked before. @throws InputError */
const readValues = (item: Item, table: Table): ItemValues =>
  new ItemValues(item, table, { nothing: createNothingToChangeError, use: 'uncheckedWrite' });

/**
 * Reads and checks the values.
 * @returns a function that creates the missing connected records and returns the values to send
 * @throws InputError
 */
async function prepareBatchValues(item: Item, table: Table): Promise<() => Promise<PayloadEntries>> {
  const { preview, complete } = await readValues(item, table).prepare();
  for (const [key] of preview) ensureBatchColumn(key, table);
  return complete;
}

const returnOldRecordsOption = defineParameter({
  displayName: 'Return Old Records',
  name: 'returnOldRecords',
  type: 'boolean',
  default: true,
  description:
    'Whether to return each record with its new values, and with the old ones of the changed fields under "_before": the operation Undo takes these items. Needs 1 request for each 180 records.',
});

/**
 * Reads the records that meet all conditions, as the service returns them.
 * @param expected number of records that the check counted
 * @throws InputError when another number of records was read
 * @throws ApiError when the service did not apply a condition on `created_at`
 */
async function readMatches(
  item: Item,
  query: BatchQuery & { firstPage?: RecordList },
  expected: number,
): Promise<ServiceRecord[]> {
  const records = await readAllRecords(item.client, query).catch((error: unknown) => {
    throw mapExplanation(error, ({ description }) => ({
      description: `Nothing was changed. ${description}`,
    }));
  });
  if (records.length === expected) return records;
  throw new InputError(
    `${expected} records meet the conditions, and ${records.length} of them were read`,
    'Nothing was changed: records changed meanwhile, or the user may not read all of them. Run it again, or turn off "Return Old Records".',
  );
}

/** Adds a hint when the service updated another number of records than were read before. */
function noteOtherTotal(item: Item, readCount: number, response: unknown): void {
  const { total } = asObject(response);
  if (total === undefined || Number(total) === readCount) return;
  item.client.notices.addHint(
    `The service updated ${String(total)} records, and the output has the ${readCount} that were read before: records changed meanwhile.`,
  );
}

const maximumRecords = createMaximumRecordsParameter(
  'Nothing is changed when the conditions match more records than this',
);

const dryRunOption = createDryRunOption('Whether to only count the records that would be changed');

/**
 * @param expected number of records that the check counted
 * @throws ApiError that says whether records may have been changed, and then has the old records
 */
async function sendBatchUpdate(
  item: Item,
  { tableId, conditions }: BatchQuery,
  entries: PayloadEntries,
  expected: number,
  oldRecords: ServiceRecord[],
): Promise<unknown> {
  try {
    const { body, attempts } = await item.client.call(recordEndpoints.batchUpdate, {
      path: { dataTableId: tableId },
      body: {
        conditions: [{ items: conditions }],
        values: entries.map(([field_id, value]) => ({ field_id, value, val_type: 'normal' })),
      },
    });
    // After the first request, records may no longer meet the conditions. The count of the repeated request can
    // therefore be too low.
    if (attempts === 1) return body;
    const msg = `The answer to the first request was lost, so the request was repeated. ${expected} records met the conditions before.`;
    return { ...(body as IDataObject), total: expected, msg };
  } catch (error) {
    const explained = explainUncertainWrite(
      error,
      `${expected} records met the conditions before. Check them before you run it again.`,
    );
    const changed = mayHaveChanged(error) ? oldRecords : [];
    throw keepOldRecords(explained, changed, 'To undo the update, give them to the operation Update.');
  }
}

/** Returns a record with its new values, and the old ones of the fields that changed. */
function toChangedOutput(item: Item, table: Table, old: ServiceRecord, entries: PayloadEntries): Output {
  const { action, record, before, changed } = describeChange(table, old, entries);
  const earlier = item.isTool ? {} : { _before: omit(keepColumns(before, changed, table.fields), 'id') };
  return { json: { _action: action, ...(changed.length > 0 && earlier), ...record } as IDataObject };
}

/**
 * Sends the batch updates one after the other.
 * @throws ApiError that says how many were made, and then has the old records
 */
async function sendBatchUpdates(
  item: Item,
  counts: Counted[],
  entries: PayloadEntries,
  oldRecords: ServiceRecord[],
): Promise<unknown[]> {
  const responses: unknown[] = [];
  for (const { query, check } of counts) {
    try {
      responses.push(await sendBatchUpdate(item, query, entries, check.total, oldRecords));
    } catch (error) {
      if (responses.length === 0) throw asThrown(error);
      const explained = mapExplanation(error, ({ description }) => ({
        description: `${responses.length} of ${counts.length} batch updates were made, one for each connected record. ${description}`,
      }));
      // An error after which records may have changed has the old records.
      const earlier = mayHaveChanged(error) ? [] : oldRecords;
      throw keepOldRecords(explained, earlier, 'To undo the update, give them to the operation Update.');
    }
  }
  return responses;
}

export const batchUpdate: Operation = {
  name: 'batchUpdate',
  displayName: 'Batch Update',
  action: 'Batch update records',
  description: 'Count the records that meet the conditions, then give them all the same values at once',
  writes: true,
  parameters: [
    tableLocator,
    ...hideUntilPicked('dataTableId', requiredFilterForm),
    ...createColumnForm('update'),
    maximumRecords,
    createOptions(
      dryRunOption,
      returnOldRecordsOption,
      clearColumnsOption,
      ...writeOptions,
      filterParametersOption,
    ),
  ],
  // Batches on one table run in input order. When two batches match a record, the later one must win.
  serialKey: (item) => item.read(tableLocator),
  done: ['update', 'made'],
  async check(item) {
    const table = await item.getTable(item.read(tableLocator));
    for (const [key] of readValues(item, table).check()) ensureBatchColumn(key, table);
  },
  async run(item) {
    const table = await item.getFreshTable(item.read(tableLocator));
    const filters = await readSymbolicFilters(item, table, {
      operation: 'Batch Update',
      alternative:
        'For all operators, groups and OR, find the records with Get Many and change them with Update.',
    });
    const completeValues = await prepareBatchValues(item, table);
    const maximum = item.read(maximumRecords);
    const isDry = item.readOption(dryRunOption);
    const returnsOld = item.readOption(returnOldRecordsOption) === true;
    const counts = (await countEach(item, table, filters)).filter(({ check }) => check.total > 0);
    const total = sumTotals(counts);
    if (total > maximum) {
      throw new InputError(
        `The conditions reach ${total} records, more than Maximum Records (${maximum})`,
        'Nothing was changed. Add conditions, or raise the maximum.',
      );
    }
    // All records are compared with a condition on `created_at`: those of the first page may meet it by chance.
    const read = async ({ query, check, firstPage }: Counted) =>
      firstPage !== undefined || (returnsOld && !isDry)
        ? readMatches(item, { ...query, firstPage }, check.total)
        : [];
    const lists = await mapMany(counts, item.client.concurrency, read);
    if (isDry) return toOutputs({ dryRun: true, total });
    if (total === 0) return returnsOld ? [] : toOutputs({ total, msg: 'No record meets the conditions' });
    const oldRecords = returnsOld ? uniqBy(lists.flat(), 'id') : [];
    const entries = await completeValues();
    const responses = await sendBatchUpdates(item, counts, entries, oldRecords);
    const [response] = responses;
    if (!returnsOld)
      return toOutputs(
        responses.length === 1 ? response : { total, msg: `${responses.length} batch updates were made` },
      );
    if (responses.length === 1) noteOtherTotal(item, oldRecords.length, response);
    return oldRecords.map((record) => toChangedOutput(item, table, record, entries));
  },
};
