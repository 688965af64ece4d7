import { compareValues } from './compare';
import { present, type Presentation } from './present';
import { sees } from './writes';
import type { Access } from '../state/access';
import type { Test } from '../filter/subject';
import { CREATED_AT, type Field } from './field';
import type { StoredRecord, Table } from './table';

/** The parameters of a list, wherever they came from: query, POST body or component. */
export interface ListRequest {
  page: number;
  limit: number;
  sort: { slug: string; descending: boolean }[];
  presentation: Presentation;
}

export const MAX_LIMIT = 200;
export const DEFAULT_LIMIT = 100;

/** All records the caller may see that pass the filter, in creation order or sorted. */
export function select(
  table: Table,
  test: Test | undefined,
  sort: ListRequest['sort'],
  access: Access,
): StoredRecord[] {
  const all = [...table.records.values()];
  // Pages of a large table without a filter are asked for by the hundred.
  const isOpen = !access.user && !test;
  const found = isOpen ? all : all.filter((record) => sees(table, record, access) && (!test || test(record)));
  const keys = sort.flatMap(({ slug, descending }) => {
    const field = [...table.fields, CREATED_AT].find((candidate) => candidate.slug === slug);
    if (!field) access.report(`sort by unknown field "${slug}"`);
    return field ? [{ field, sign: descending ? -1 : 1 }] : [];
  });
  return keys.length === 0 ? found : found.sort((a, b) => order(a, b, keys));
}

/** Equal values are ordered by id, so that pages of a sorted list fit together. */
function order(a: StoredRecord, b: StoredRecord, keys: { field: Field; sign: number }[]): number {
  for (const { field, sign } of keys) {
    const difference = compareValues(a[field.slug], b[field.slug]);
    if (difference !== 0) return sign * difference;
  }
  return a.id < b.id ? -1 : 1;
}

/** One page in the spec's list response; `total_items` counts after filtering. */
export function listPage(table: Table, records: StoredRecord[], request: ListRequest, access: Access) {
  const { page, limit, presentation } = request;
  return {
    type: 'success',
    items: records
      .slice((page - 1) * limit, page * limit)
      .map((record) => present(record, table, access.app, presentation)),
    total_items: records.length,
    total_pages: Math.ceil(records.length / limit),
    current_page: page,
    limit,
  };
}
