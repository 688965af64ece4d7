import { type Client, InputError, type ServiceRecord } from '../../service';
import { buildRecordFilter, hasConnectedConditions } from '../connections/resolveFilter';
import type { Table } from '../fields/table';
import { type SymbolicCondition, toSymbolicConditions } from '../filter/symbolic';
import type { FilterGroup, FilterTree } from '../filter/tree';
import { ensureRecordsMatch } from '../reading/compareRecords';
import { listFilterFields, readAllRecords } from '../reading/readRecords';

/** The filter that selects the records to change or delete. */
export interface RecordSelection {
  filter: FilterTree;
  timeZone: string;
  /** Maximum number of records. If more records match the filter, an error is thrown. */
  maximum?: number;
  /** Whether the filter is sent in the symbolic form of batch updates. This form cannot compare connected records. */
  isSymbolic?: boolean;
}

export interface SelectedRecords {
  table: Table;
  filters: FilterGroup;
  /** The filter in the symbolic form. Undefined without `isSymbolic`. */
  conditions?: SymbolicCondition[];
  records: ServiceRecord[];
  /** When the records were requested, in milliseconds of the client's clock. */
  readAt: number;
}

export const BATCH_REMEDY = 'Find the records with Get Many, and change them with Update.';

const createTooManyRecordsError = (count: string, maximum: number) =>
  new InputError(
    `The filter matches ${count} records, more than Maximum Records (${maximum})`,
    'Nothing was changed. Add conditions, or raise the maximum.',
  );

/**
 * Reads the records that a filter selects for a change or deletion. Every change by a filter uses this. A service that
 * ignores a condition would return other records too, so each record is compared with the filter, and each connected
 * record with its conditions.
 * @example
 * const filter = parseFilterJson('{"status": "old"}');
 * const { records } = await selectRecords(client, table, { filter, timeZone: 'UTC', maximum: 100 });
 * @throws InputError for a filter that does not fit the table, or that only the service can evaluate
 * @throws InputError for a name that several records have, for a record that does not match, and for too many records
 * @throws ApiError for a failed request
 */
export async function selectRecords(
  client: Client,
  table: Table,
  { filter, timeZone, maximum = Infinity, isSymbolic = false }: RecordSelection,
): Promise<SelectedRecords> {
  if (isSymbolic && hasConnectedConditions(filter, table)) {
    throw new InputError(
      'Filter: Batch Update cannot compare fields of connected records',
      `Nothing was sent. ${BATCH_REMEDY} It needs as many requests.`,
    );
  }
  const filters = await buildRecordFilter(client, filter, table, timeZone, 'change');
  const conditions = isSymbolic ? toSymbolicConditions(filters, table) : undefined;
  const readAt = client.clock.now();
  const records = await readAllRecords(client, {
    tableId: table.id,
    ...(conditions ? { conditions } : { filters, isCompared: true }),
    fields: listFilterFields(filters, table),
    // One record more than the maximum is requested: records may be added while the pages are read.
    limit: maximum + 1,
    onPage: ({ total_items: total }) => {
      if (total > maximum) throw createTooManyRecordsError(String(total), maximum);
    },
  });
  if (records.length > maximum) throw createTooManyRecordsError('too many', maximum);
  const remedy = isSymbolic ? BATCH_REMEDY : 'Use other conditions, and check the records with Get Many.';
  ensureRecordsMatch(client, table, filters, records, remedy);
  return { table, filters, conditions, records, readAt };
}
