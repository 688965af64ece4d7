import { orderBy } from 'lodash';
import { TABLES_AGE_MS } from '../n8n/trigger/startup';
import {
  compileFilter,
  type Field,
  fetchRecordPage,
  type FilterGroup,
  type FilterTree,
  getKind,
  getTable,
  type PageQuery,
  resolveStoredFilter,
  type Table,
  UnknownFieldError,
} from '../records';
import { asThrown, type Client, readWholeList, type ServiceRecord } from '../service';

/** Maximum number of records that are compared, and that match if the service ignores the date filter. */
export const MAX_RECORDS = 5_000;

export const CREATED_AT = 'created_at';

export interface RecordPageQuery {
  limit: number;
  page?: number;
  /** Further conditions, in addition to the filter of the form. */
  conditions?: FilterGroup['items'];
  sort?: NonNullable<PageQuery['sort']>[number];
}

/** The records of one table that match the form's filter. */
export class RecordSource {
  private constructor(
    readonly client: Client,
    readonly table: Table,
    private readonly filter: ReturnType<typeof compileFilter> | undefined,
  ) {}

  /**
   * Reads the fields, again if one of the filter is not found, and builds the filter.
   * @throws InputError for a filter that does not fit the table, or that only the service can evaluate
   */
  static async create(
    client: Client,
    watch: { tableId: string; filter?: FilterTree; timeZone: string },
    { isFresh = false } = {},
  ): Promise<RecordSource> {
    const { tableId, filter, timeZone } = watch;
    const table = await getTable(client, tableId, { maxAgeMs: isFresh ? 0 : TABLES_AGE_MS });
    const { serviceTimeZone, credential } = client;
    const context = { timeZone, serviceTimeZone, now: new Date(), hasUserLogin: credential.hasUserLogin };
    try {
      const resolved = await resolveStoredFilter(client, filter, table);
      return new RecordSource(client, table, resolved && compileFilter(resolved, table, context));
    } catch (error) {
      if (isFresh || !(error instanceof UnknownFieldError)) throw asThrown(error);
    }
    return RecordSource.create(client, watch, { isFresh: true });
  }

  /** Whether a record matches the filter. The service drops a filter silently in some cases (spec: Filters). */
  matches(record: Record<string, unknown>): boolean {
    return this.filter?.matches(record) ?? true;
  }

  async fetchPage({ page = 1, limit, conditions = [], sort }: RecordPageQuery) {
    const own = this.filter?.group;
    const filters: FilterGroup | undefined =
      conditions.length > 0 ? { condition: 'AND', items: conditions, child: own ? [own] : [] } : own;
    const { id: tableId } = this.table;
    // The caller compares the records. Its error explains how to poll a service that ignores the date filter.
    const query = { tableId, table: this.table, filters, isCompared: true, sort: sort && [sort] } as const;
    const { items, total_items: total } = await fetchRecordPage(this.client, query, page, limit);
    return { items, total };
  }

  /** Reads all pages, in any order. A list that changes meanwhile is not read again. */
  readAll(
    ensureCount: (total: number) => void,
    conditions: FilterGroup['items'] = [],
  ): Promise<ServiceRecord[]> {
    return readWholeList({
      fetchPage: async (page, limit) => {
        const list = await this.fetchPage({ page, limit, conditions });
        ensureCount(list.total);
        return list;
      },
      limit: Infinity,
      concurrency: this.client.concurrency,
      getId: ({ id }) => id,
      onChange: () => undefined,
    });
  }

  /** The newest records by date, newest first. */
  async readNewest(field: Field, limit: number, conditions?: FilterGroup['items']) {
    const { items } = await this.fetchPage({ limit, conditions, sort: { sort: field.slug, by: 'desc' } });
    return orderBy(items, (record) => readDate(record, field), 'desc');
  }
}

/** The date of a record in the service's format; '' for a record without one. */
export function readDate(record: ServiceRecord, field: Field): string {
  const date = getKind(field).read(record[field.slug], field);
  return typeof date === 'string' ? date : '';
}
