import type { Predicate } from '../filter/subject';
import type { Access } from '../state/access';
import { compareValues } from './compare';
import { CREATED_AT, type Field } from './field';
import { type Presentation, presentRecord } from './present';
import type { StoredRecord, Table } from './table';
import { canSee } from './writes';

/** The parameters of a list, from a query, a POST body or a component. */
export interface ListRequest {
  page: number;
  limit: number;
  sort: { slug: string; descending: boolean }[];
  presentation: Presentation;
}

/** What the spec allows; `ServiceOptions.maxPageSize` is what a page holds. */
export const MAX_LIMIT = 200;
export const DEFAULT_LIMIT = 100;

/** All records that the caller may see and that match the filter, in order of creation or sorted. */
export function selectRecords(
  table: Table,
  test: Predicate | undefined,
  sort: ListRequest['sort'],
  access: Access,
): StoredRecord[] {
  const all = [...table.records.values()];
  // Tests read hundreds of pages of a large table without a filter.
  const isOpen = !access.user && !test;
  const found = isOpen
    ? all
    : all.filter((record) => canSee(table, record, access) && (!test || test(record)));
  const keys = sort.flatMap(({ slug, descending }) => {
    const isDropped = access.app.options.systemColumns === 'dropped';
    const known = isDropped ? table.fields : [...table.fields, CREATED_AT];
    const field = known.find((candidate) => candidate.slug === slug);
    if (!field && slug !== CREATED_AT.slug) access.report(`sort by unknown field "${slug}"`);
    return field ? [{ field, sign: descending ? -1 : 1 }] : [];
  });
  return keys.length === 0 ? found : found.sort((a, b) => compareRecords(a, b, keys));
}

/** Equal values are ordered by id, so that the pages of a sorted list do not overlap. */
function compareRecords(a: StoredRecord, b: StoredRecord, keys: { field: Field; sign: number }[]): number {
  for (const { field, sign } of keys) {
    const difference = compareValues(a[field.key], b[field.key]);
    if (difference !== 0) return sign * difference;
  }
  return a.id < b.id ? -1 : 1;
}

/** Numbers of a list of pages (spec: Records, Logs). */
export const formatTotals = (total: number, limit: number): object => ({
  total_items: total,
  total_pages: Math.ceil(total / limit),
});

/** One page as a list response (spec: Records); `total_items` is the count after filtering. */
export function formatListPage(table: Table, records: StoredRecord[], request: ListRequest, access: Access) {
  const { limit, page, presentation } = request;
  const items = records.slice((page - 1) * limit, page * limit);
  return {
    type: 'success',
    items: items.map((record) => presentRecord(record, table, access.app, presentation)),
    ...formatTotals(records.length, limit),
    current_page: page,
    ...(access.app.options.listLimit === 'shown' && { limit }),
  };
}
