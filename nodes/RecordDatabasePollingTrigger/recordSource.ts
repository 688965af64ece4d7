/**
 * The requests of the polling trigger to one table. `RecordSource.create` reads the fields and builds the filter.
 * `fetchPage` reads a page of the matching records.
 */
import {
  compileFilter,
  fetchRecordPage,
  type FilterGroup,
  type FilterTree,
  getTable,
  type PageQuery,
  resolveStoredFilter,
  type Table,
  UnknownFieldError,
} from '../records';
import { asThrown, type Client, memory, type ServiceRecord } from '../service';

/** Milliseconds for which the fields of a table are used, so that a poll without changes needs one request. */
const FIELDS_TTL_MS = 60 * 60_000;

const watchedTables = memory.cache<Table, 'user'>('watchedTables', {
  per: 'user',
  holds: 'the fields of a table that is polled',
  ttlMs: FIELDS_TTL_MS,
});

/** Calls `use` with the fields of a table, and again with current fields if a field is not found. */
async function withTable<T>(
  client: Client,
  tableId: string,
  use: (table: Table) => T | Promise<T>,
): Promise<T> {
  const load = (read: () => Promise<Table>) => watchedTables.get(client, [tableId], read);
  try {
    return await use(await load(() => getTable(client, tableId)));
  } catch (error) {
    if (!(error instanceof UnknownFieldError)) throw asThrown(error);
    watchedTables.delete(client, [tableId]);
  }
  return use(await load(() => getTable(client, tableId, { isFresh: true })));
}

/** Maximum number of records in a snapshot, and in a table if the service ignores the date filter. */
export const MAX_RECORDS = 5_000;

export interface RecordPageQuery {
  page: number;
  limit: number;
  /** Further conditions, in addition to the filter of the form. */
  conditions?: FilterGroup['items'];
  sort?: NonNullable<PageQuery['sort']>[number];
}

export interface RecordPage {
  items: ServiceRecord[];
  total: number;
}

/** The records of one table that match the form's filter. */
export class RecordSource {
  private constructor(
    readonly client: Client,
    readonly table: Table,
    private readonly filter: ReturnType<typeof compileFilter> | undefined,
  ) {}

  /** @throws InputError for a filter that does not fit the table, or that only the service can evaluate */
  static async create(
    client: Client,
    { tableId, filter, timeZone }: { tableId: string; filter?: FilterTree; timeZone: string },
  ): Promise<RecordSource> {
    const { serviceTimeZone } = client;
    const { hasUserLogin } = client.credential;
    const context = { timeZone, serviceTimeZone, now: new Date(), hasUserLogin };
    return withTable(client, tableId, async (table) => {
      const resolved = await resolveStoredFilter(client, filter, table);
      const compiled = resolved && compileFilter(resolved, table, context);
      return new RecordSource(client, table, compiled);
    });
  }

  /** Whether a record matches the filter. The service drops a filter silently in some cases (spec: Filters). */
  matches(record: Record<string, unknown>): boolean {
    return this.filter?.matches(record) ?? true;
  }

  async fetchPage({ page, limit, conditions = [], sort }: RecordPageQuery): Promise<RecordPage> {
    const own = this.filter?.group;
    const filters: FilterGroup | undefined =
      conditions.length > 0 ? { condition: 'AND', items: conditions, child: own ? [own] : [] } : own;
    const { id: tableId } = this.table;
    // The caller compares the records, and says how a service that ignores dates can be polled.
    const query = { tableId, table: this.table, filters, isCompared: true, sort: sort && [sort] } as const;
    const { items, total_items: total } = await fetchRecordPage(this.client, query, page, limit);
    return { items, total };
  }
}
