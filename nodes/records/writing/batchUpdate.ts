/**
 * Updates of all records that meet conditions, by one request (spec: batch-update). `countBatches` counts the records,
 * `readBatches` reads them as they are, and `sendBatches` sends the values. A condition through a connection has a batch for
 * each connected record, because the form of the conditions has no OR.
 */
import { uniqBy } from 'lodash';
import {
  type Client,
  explainUncertainWrite,
  InputError,
  mapExplanation,
  mapMany,
  MAX_PAGE_SIZE,
  mayHaveChanged,
  recordEndpoints,
  type RecordList,
  type ServiceRecord,
} from '../../service';
import type { PayloadEntries } from '../fields/field';
import type { Table } from '../fields/table';
import { type PageQuery, fetchRecordPage, hasDateCondition, readAllRecords } from '../reading/readRecords';
import { describeChange } from './currentValues';

/** The records that meet one list of conditions. */
interface RecordBatch {
  query: PageQuery & Required<Pick<PageQuery, 'conditions'>>;
  /** The response to the check (spec: batch-update-check). */
  check: { total: number };
  /** The first page of a search, if there was one. */
  firstPage?: RecordList;
}

/**
 * Counts the records of each list of conditions (spec: batch-update-check). A record that meets several of them is counted for
 * each. A condition on `created_at` is tried with a search before: a service that drops it would count, and change, every
 * record, and only the dates of records show it.
 * @param filters the conditions, from `buildSymbolicFilters`
 * @example
 * const batches = await countBatches(client, table.id, filters);
 * batches.map(({ check }) => check.total); // [12]
 * @throws ApiError for a failed request, and when the service did not apply a condition on `created_at`
 */
export const countBatches = (
  client: Client,
  tableId: string,
  filters: Array<RecordBatch['query']['conditions']>,
): Promise<RecordBatch[]> =>
  mapMany(filters, client.concurrency, async (conditions): Promise<RecordBatch> => {
    const query = { tableId, conditions };
    const firstPage = hasDateCondition(query)
      ? await fetchRecordPage(client, query, 1, MAX_PAGE_SIZE)
      : undefined;
    const { body } = await client.call(recordEndpoints.batchUpdateCheck, {
      path: { dataTableId: tableId },
      body: { filters: { items: conditions } },
    });
    return { query, check: body, firstPage };
  });

/**
 * Reads the records of batches, each once. All records are compared with a condition on `created_at`: those of the first page
 * may meet it by chance. A batch with such a condition is therefore read in any case.
 * @param options `reads`: whether the other batches are read too
 * @example
 * await readBatches(client, batches, { reads: true }); // [{ id: 'K7pQ2xW9Lm', … }]
 * @throws InputError when another number of records was read than counted; ApiError for a failed request, and when the service
 *   did not apply a condition on `created_at`
 */
export async function readBatches(
  client: Client,
  batches: RecordBatch[],
  { reads }: { reads: boolean },
): Promise<ServiceRecord[]> {
  const read = async ({ query, check, firstPage }: RecordBatch): Promise<ServiceRecord[]> => {
    if (!reads && firstPage === undefined) return [];
    const records = await readAllRecords(client, { ...query, firstPage }).catch((error: unknown) => {
      throw mapExplanation(error, ({ description }) => ({
        description: `Nothing was changed. ${description}`,
      }));
    });
    if (records.length === check.total) return records;
    throw new InputError(
      `${check.total} records meet the conditions, and ${records.length} of them were read`,
      'Nothing was changed: records changed meanwhile, or the user may not read all of them. Run it again, or turn off "Return Old Records".',
    );
  };
  return uniqBy((await mapMany(batches, client.concurrency, read)).flat(), 'id');
}

interface BatchUpdate {
  table: Table;
  batches: RecordBatch[];
  records: ServiceRecord[];
  entries: PayloadEntries;
}

/** What became of batches. */
interface SentBatches {
  /** The responses to those that were made. */
  responses: unknown[];
  /** What became of the records, without a failure: see `describeChange`. */
  changes: Array<ReturnType<typeof describeChange>>;
  /** The failure that ended the run. It says how many batches were made. */
  error?: unknown;
  /** Whether records were changed, or may have been. */
  mayHaveChanged: boolean;
}

/**
 * Gives the records of batches their values, one batch after the other. Nothing is sent after a failure.
 * @param update `records`: those that were read before
 * @example
 * const { responses, changes } = await sendBatches(client, { table, batches, records, entries: [['status', 'lead']] });
 * responses; // [{ type: 'success', total: 12 }]
 * changes; // [{ action: 'updated', record: { status: 'lead', … }, before: { status: 'new', … }, changed: ['status'] }, …]
 * @throws nothing: a failure is in the result
 */
export async function sendBatches(
  client: Client,
  { table, batches, records, entries }: BatchUpdate,
): Promise<SentBatches> {
  const responses: unknown[] = [];
  for (const batch of batches) {
    try {
      responses.push(await sendBatch(client, batch, entries));
    } catch (error) {
      const count = responses.length;
      const explained = mapExplanation(error, ({ description }) => ({
        description:
          count === 0
            ? description
            : `${count} of ${batches.length} batch updates were made, one for each connected record. ${description}`,
      }));
      return { responses, changes: [], error: explained, mayHaveChanged: count > 0 || mayHaveChanged(error) };
    }
  }
  const changes = records.map((record) => describeChange(table, record, entries));
  return { responses, changes, mayHaveChanged: true };
}

/** @throws ApiError that says whether records may have been changed */
async function sendBatch(
  client: Client,
  { query, check }: RecordBatch,
  entries: PayloadEntries,
): Promise<unknown> {
  const { tableId, conditions } = query;
  const call = {
    path: { dataTableId: tableId },
    body: {
      conditions: [{ items: conditions }],
      values: entries.map(([field_id, value]) => ({ field_id, value, val_type: 'normal' })),
    },
  };
  const { body, attempts } = await client.call(recordEndpoints.batchUpdate, call).catch((error: unknown) => {
    const advice = `${check.total} records met the conditions before. Check them before you run it again.`;
    throw explainUncertainWrite(error, advice);
  });
  // After the first request, records may no longer meet the conditions. The count of the repeated request can therefore be
  // too low.
  if (attempts === 1) return body;
  const msg = `The answer to the first request was lost, so the request was repeated. ${check.total} records met the conditions before.`;
  return { ...(body as object), total: check.total, msg };
}
