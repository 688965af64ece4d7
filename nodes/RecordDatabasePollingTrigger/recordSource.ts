/**
 * The requests of the polling trigger to one table. `RecordSource.create` reads the fields and builds the filter.
 * `fetchPage` reads a page of the matching records.
 */
import {
  compileFilter,
  type FilterGroup,
  type FilterItem,
  type FilterTree,
  getTable,
  type Matcher,
  type PageQuery,
  requestRecordPage,
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
  conditions?: FilterItem[];
  sort?: NonNullable<PageQuery['sort']>[number];
}

export interface RecordPage {
  items: ServiceRecord[];
  total: number;
}

/** The records of one table that match the form's filter. */
export class RecordSource {
  readonly hasFilter: boolean;

  private constructor(
    readonly client: Client,
    readonly table: Table,
    private readonly filter: FilterGroup | undefined,
    private readonly matcher: Matcher | undefined,
  ) {
    this.hasFilter = filter !== undefined;
  }

  /** @throws InputError for a filter that does not fit the table, or that only the service can evaluate */
  static async create(
    client: Client,
    { tableId, filter, timeZone }: { tableId: string; filter?: FilterTree; timeZone: string },
  ): Promise<RecordSource> {
    const { serviceTimeZone } = client;
    const { hasUserLogin } = client.credential;
    const context = { timeZone, serviceTimeZone, now: new Date(), hasUserLogin };
    return withTable(client, tableId, async (table) => {
      const resolved = await resolveStoredFilter(client, filter, table, { checksIds: true });
      const compiled = resolved && compileFilter(resolved, table, context);
      return new RecordSource(client, table, compiled?.group, compiled?.matches);
    });
  }

  /** Whether a record matches the filter. The service drops a filter silently in some cases (spec: Filters). */
  matches(record: Record<string, unknown>): boolean {
    return this.matcher?.(record) ?? true;
  }

  async fetchPage({ page, limit, conditions = [], sort }: RecordPageQuery): Promise<RecordPage> {
    const group = this.filter ? [this.filter] : [];
    const filters: FilterGroup | undefined =
      conditions.length > 0 ? { condition: 'AND', items: conditions, child: group } : this.filter;
    const query = { tableId: this.table.id, table: this.table, filters, sort: sort && [sort] };
    const { body } = await requestRecordPage(this.client, query, page, limit);
    return { items: body.items, total: body.total_items };
  }
}
