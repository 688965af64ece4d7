/** Reads records, and checks each response. */
import { uniqBy } from 'lodash';
import {
  ApiError,
  type Client,
  componentEndpoints,
  type Endpoint,
  formatForError,
  joinFirstTexts,
  MAX_PAGE_SIZE,
  memory,
  readWholeList,
  recordEndpoints,
  type RecordList,
  type ServiceRecord,
} from '../../service';
import type { Field } from '../fields/field';
import { SYSTEM_FIELD_KINDS } from '../fields/kinds';
import { findFieldByKey, keepColumns } from '../fields/recordValues';
import type { Table } from '../fields/table';
import type { SymbolicCondition } from '../filter/symbolic';
import { type FilterGroup, listItemsOfAndFilter, listAllItems } from '../filter/tree';
import { checkRecordsMatch, mayIgnoreDateCondition } from './compareRecords';
import { storeTextsFromRecords } from './connectedTexts';
import { ensureComparedFieldsExist, getTable } from './tables';

/**
 * Reads a list of records, with 200 records in each request. A list that changes during the reading is read once more.
 * @example
 * const records = await readAllRecords(client, { tableId: 'T1x9Kq', limit: 500 });
 * @throws as `readRecordPage` does, and InputError for a `startPage` above 1 if no page size divides `limit`
 * @throws ApiError for a list that also changed during the second reading, if `onChange` is not given
 */
export function readAllRecords(
  client: Client,
  { limit = Infinity, startPage, firstPage, onPage, onChange, ...query }: RecordsQuery & ReadListOptions,
): Promise<ServiceRecord[]> {
  let knownPage = firstPage;
  return readWholeList({
    fetchPage: async (page, size) => {
      const known = page === 1 && size === MAX_PAGE_SIZE ? knownPage : undefined;
      // `firstPage` is used only once. If the list is read a second time, all of its pages are requested.
      knownPage = undefined;
      const list = known ?? (await readRecordPage(client, query, page, size));
      onPage?.(list);
      return list;
    },
    limit,
    startPage,
    // The client limits concurrent requests. Two more pages wait in its queue, so no time is lost between requests.
    concurrency: client.concurrency + 2,
    onChange,
    onProgress: (count, expected) =>
      client.notices.reportProgress(() => `${count} of ${expected} records read`),
  });
}

type SortRules = Array<{ sort: string; by: 'asc' | 'desc' }>;

/** Selects records of a table. Without `filters` and `conditions`, selects all. */
export interface PageQuery {
  tableId: string;
  /** Distinguishes this query from a `ComponentQuery` in TypeScript. */
  component?: undefined;
  /** The table with its fields. By default, `getTable` reads it. */
  table?: Table;
  filters?: FilterGroup;
  /** Whether the caller compares the records with the filter. By default, `readRecordPage` does. */
  isCompared?: true;
  /** Fields that must still exist. By default, those of `filters`. */
  fields?: Field[];
  /** The filter in the symbolic form, for a search (spec: Records, `_zmode=search`). */
  conditions?: SymbolicCondition[];
  sort?: SortRules;
  /** Slugs of fields. By default, all fields are read. */
  columns?: string[];
}

export type ComponentPath = Record<'pageId' | 'componentId', string>;

/**
 * Selects the records that a component shows (spec: Layouts, pages and components). The filter of the
 * component applies too. Without `table`, which may be unknown or forbidden, the records are not compared
 * with fields.
 */
interface ComponentQuery extends Partial<Omit<PageQuery, 'tableId' | 'component'>> {
  tableId?: undefined;
  component: ComponentPath;
}

type RecordsQuery = PageQuery | ComponentQuery;

const formatColumns = (columns?: string[]) => columns && { columns: columns.join(',') };

/**
 * Sends a GET for conditions that must all hold and at most one sort rule (spec: Filters, GET form). Sends a POST for
 * other lists. No public client does so (evidence 17): a service may create a record instead. The POST always has
 * `page` and `limit`, because without them it creates a record (spec: Records).
 */
async function sendPageRequest(
  client: Client,
  query: RecordsQuery,
  page: number,
  limit: number,
): Promise<RecordList> {
  const { filters, conditions, sort = [], component, columns } = query;
  const list: Endpoint<RecordList> = component ? componentEndpoints.listRecords : recordEndpoints.list;
  const path = component ?? { dataTableId: query.tableId };
  const selection = formatColumns(columns);
  const [first] = sort;
  const items = filters ? listItemsOfAndFilter(filters) : [];
  if (!conditions && items && sort.length <= 1) {
    const order = first && { order: first.sort, order_by: first.by };
    const filter = items.length > 0 && { filters: { items } };
    const call = { path, query: { ...selection, ...order, ...filter, page, limit } };
    if (client.hasSafeAddressLength(list, call)) return (await client.call(list, call)).body;
  }
  const rules = first && { sort_by: sort };
  const group = conditions ? { condition: 'AND', items: conditions } : filters;
  const body = { ...selection, ...rules, ...(group && { filters: { ...group } }), page, limit };
  if (component)
    return (await client.call(componentEndpoints.listFilteredRecords, { path: component, body })).body;
  const endpoint = conditions ? recordEndpoints.search : recordEndpoints.listFiltered;
  return requestListByPost(client, endpoint, { path: { dataTableId: query.tableId }, body });
}

const appsWithoutListByPost = memory.store<true, 'app'>('listPostCreatedRecord', {
  per: 'app',
  holds: 'that the service made a record when a list was requested by POST: none is sent again',
  max: 1_000,
});

/** Returns false after the service has created a record for a POST that requested a list. */
export const canListByPost = (client: Client): boolean => appsWithoutListByPost.get(client, []) !== true;

const LIST_BY_GET_REMEDY =
  'Use conditions that must all hold (AND), "is" in place of "is any of", at most one sort rule, and fewer conditions or fields: such a list is requested by GET.';

/** @throws ApiError if the service creates a record instead. All later calls throw an ApiError and send no request */
async function requestListByPost(
  client: Client,
  endpoint: typeof recordEndpoints.listFiltered | typeof recordEndpoints.search,
  call: { path: { dataTableId: string }; body: object },
): Promise<RecordList> {
  if (!canListByPost(client)) {
    throw new ApiError({
      message: 'The records cannot be listed: this service makes a record when a list is requested by POST',
      description: `Nothing was sent. ${LIST_BY_GET_REMEDY}`,
      sentCount: 0,
    });
  }
  const { body } = await client.call(endpoint, call);
  const { createdId } = body;
  if (createdId === undefined) return body;
  appsWithoutListByPost.set(client, [], true);
  throw new ApiError({
    message: `The service made the record ${formatForError(createdId)} in place of listing records`,
    description: `The list was requested by POST, which this service takes for a new record. Delete the record in the table ${formatForError(call.path.dataTableId)}. Until n8n is started again, no list of this application is requested so. ${LIST_BY_GET_REMEDY}`,
    details: { recordId: createdId },
  });
}

/** @throws InputError for a field that the table no longer has */
export const listFilterFields = (filters: FilterGroup | undefined, table: Table): Field[] =>
  (filters ? listAllItems(filters) : []).map((item) => table.requireFilterRef(item.field_id, 'Filter').field);

/**
 * Reads one page of at most 200 records. The first page has the number 1. Every list of records is requested here.
 * @example
 * await readRecordPage(client, { tableId: 'T1x9Kq' }, 1, 50); // { items: [{ id: '…', … }], total_items: 120, … }
 * @throws ApiError for a failed request, for records of another table, and for a record that the service created
 * instead
 * @throws ApiError for a service that ignored a condition on a date (`ensureFilterApplied`)
 * @throws InputError for a field that the table no longer has
 */
export async function readRecordPage(
  client: Client,
  query: RecordsQuery,
  page: number,
  limit: number,
): Promise<RecordList> {
  const body = await sendPageRequest(client, query, page, limit);
  const { items } = body;
  const tableId = query.tableId ?? query.table?.id;
  if (tableId === undefined) return body;
  const table = await getTableOfRecords(client, items, { ...query, tableId });
  storeTextsFromRecords(client, table, items);
  const { fields = listFilterFields(query.filters, table), columns } = query;
  const shown = fields.filter(({ slug }) => columns?.includes(slug) ?? true);
  await ensureComparedFieldsExist(client, table, shown, items);
  const { filters, isCompared } = query;
  if (filters && !isCompared) await ensureFilterApplied(client, { ...query, filters, table }, body, page);
  return body;
}

const getAppliedDateFields = memory.attach<Client, Set<string>>(
  'appliedDates',
  { to: 'client', holds: 'the dates whose conditions the service applies, so that items do not ask again' },
  () => new Set(),
);

/**
 * Compares the records with the filter. The records of one page may match by chance, and records of an OR filter may
 * match although one condition is ignored. In these cases, and if a record does not match, requests records with a date
 * in the year 9999: if the service returns one, it ignores conditions on this date. See silences.md: `systemColumns`.
 * @throws ApiError for a condition on a date that the service ignores
 */
async function ensureFilterApplied(
  client: Client,
  query: RecordsQuery & Required<Pick<PageQuery, 'filters' | 'table'>>,
  { items, total_items: total }: RecordList,
  page: number,
): Promise<void> {
  const { filters, table, columns } = query;
  const isShown = listItemsOfAndFilter(filters) && !columns && items.length >= total;
  if (checkRecordsMatch(client, table, filters, items) && (isShown || page > 1)) return;
  const dates = listAllItems(filters).filter((item) => mayIgnoreDateCondition(item, table));
  const applied = getAppliedDateFields(client);
  for (const { field_id, operator, val = '' } of uniqBy(dates, 'field_id')) {
    const date = JSON.stringify([table.id, query.component, field_id]);
    if (applied.has(date)) continue;
    const never = { field_id, operator: 'is after', val: '9999-01-01 00:00:00' };
    const test = { condition: 'AND' as const, items: [never], child: [] };
    const [found] = (await readRecordPage(client, { ...query, filters: test, isCompared: true }, 1, 1)).items;
    if (!found) {
      applied.add(date);
      continue;
    }
    const { field, part } = table.requireFilterRef(field_id, 'Filter');
    const whole = part
      ? ` Filter by the whole field "${field.slug}", which is compared by its start. Or:`
      : '';
    throw new ApiError({
      message: `Filter: the service did not apply "${`${field_id} ${operator} ${val}`.trim()}"`,
      description: `It also returned record ${found.id} as one with a date in the year 9999.${whole} Remove the condition, and choose the records by "${field.slug}" in the next step of the workflow.`,
    });
  }
}

/**
 * @example
 * await readRecord(client, table.id, 'K7pQ2xW9Lm'); // { id: 'K7pQ2xW9Lm', company: 'Example Ltd', … }
 * @throws ApiError with status 404 if there is no such record
 * @throws ApiError without a status if the service returns another record, or a record without any field of the table
 */
export async function readRecord(
  client: Client,
  dataTableId: string,
  recordId: string,
  { columns, table }: Pick<PageQuery, 'columns' | 'table'> = {},
): Promise<ServiceRecord> {
  const path = { dataTableId, recordId };
  const call = { path, query: formatColumns(columns) };
  // If the columns would make the address too long, all columns are read.
  const isCut = columns !== undefined && !client.hasSafeAddressLength(recordEndpoints.get, call);
  const { item } = (await client.call(recordEndpoints.get, isCut ? { path } : call)).body;
  // With chosen columns, the service may leave out the ID.
  const id = String(item.id ?? recordId).trim();
  if (id !== recordId.trim()) {
    throw createWrongRecordError(
      `The service returned record ${formatForError(id)} in place of ${formatForError(recordId)}`,
    );
  }
  const record = { ...item, id };
  const known = await getTableOfRecords(client, [record], { tableId: dataTableId, columns, table });
  storeTextsFromRecords(client, known, [record]);
  return isCut ? { ...keepColumns(record, columns, known.fields), id } : record;
}

const createWrongRecordError = (message: string): ApiError =>
  new ApiError({
    message,
    description:
      'Its values were not used. A cache or a proxy between n8n and the service may have answered. Run it again. If it happens again, report it to whoever runs the service.',
  });

/**
 * Returns the table after a check that the records belong to it. Records of other tables may have the same IDs
 * (evidence 7), so the check compares the fields.
 * @throws ApiError if no record has a requested field of the table
 */
async function getTableOfRecords(
  client: Client,
  records: ServiceRecord[],
  { tableId, table, columns }: Pick<PageQuery, 'tableId' | 'table' | 'columns'>,
): Promise<Table> {
  const hasRequestedField = ({ fields }: Table) => {
    const asked = fields.filter(
      ({ slug }) => !SYSTEM_FIELD_KINDS.has(slug) && (columns === undefined || columns.includes(slug)),
    );
    return (
      records.length === 0 ||
      asked.length === 0 ||
      records.some((record) => Object.keys(record).some((key) => findFieldByKey(asked, key) !== undefined))
    );
  };
  const known = table ?? (await getTable(client, tableId));
  if (hasRequestedField(known)) return known;
  const fresh = await getTable(client, tableId, { isFresh: true });
  if (hasRequestedField(fresh)) return fresh;
  const keys = Object.keys(records[0] ?? {}).map((key) => formatForError(key));
  throw createWrongRecordError(
    `The service returned a record without any field of the table ${formatForError(tableId)}: it has ${joinFirstTexts(keys, ', ', 5)}`,
  );
}

interface ReadListOptions {
  /** Maximum number of records. By default, all records are read. */
  limit?: number;
  /** The number of the page that is read first. Each page has `limit` records. */
  startPage?: number;
  /** The first page of 200 records, if the caller has already read it. */
  firstPage?: RecordList;
  /** Called with each page in the order of the responses. An error that it throws ends the reading. */
  onPage?(list: RecordList): void;
  /** Called if a list also changed during its second reading: records may be missing. By default, this is an error. */
  onChange?(): void;
}
