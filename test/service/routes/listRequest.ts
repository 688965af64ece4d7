import { z } from 'zod';
import { DEFAULT_LIMIT, type ListRequest, MAX_LIMIT } from '../data/list';
import type { Table } from '../data/table';
import type { Access } from '../state/access';
import { booleanQuery, limitQuery, pageQuery } from './common';

const shared = {
  columns: z.string().optional(),
  fields: z.string().optional(),
  order: z.string().optional(),
  order_by: z.enum(['asc', 'desc']).optional(),
  filters: z.unknown(),
};

/** List query parameters of a GET (spec: Records). */
export const listQuery = {
  ...shared,
  page: pageQuery,
  limit: limitQuery,
  display_names: booleanQuery.optional(),
};

export const sortBy = z.array(z.object({ sort: z.string(), by: z.enum(['asc', 'desc']) }).strict());

/** "The same names in a POST body", with JSON types. */
export const listBody = {
  ...shared,
  page: z.number().int().min(1).default(1),
  limit: z.number().int().min(1).optional(),
  display_names: z.boolean().optional(),
  sort_by: sortBy.optional(),
};

export const presentationQuery = { columns: z.string().optional(), display_names: booleanQuery.optional() };

interface ListInput {
  page?: number;
  limit?: number;
  columns?: string;
  fields?: string;
  order?: string;
  order_by?: 'asc' | 'desc';
  display_names?: boolean;
  sort_by?: { sort: string; by: 'asc' | 'desc' }[];
}

export function parseListRequest(input: ListInput, table: Table, access: Access): ListRequest {
  const { maxPageSize } = access.app.options;
  const { page = 1, limit = DEFAULT_LIMIT, order, order_by = 'asc', sort_by } = input;
  if (limit > MAX_LIMIT) access.report(`limit ${limit} is over the maximum of ${MAX_LIMIT}`);
  return {
    page,
    limit: Math.min(limit, maxPageSize),
    sort: sort_by
      ? sort_by.map(({ sort, by }) => ({ slug: sort, descending: by === 'desc' }))
      : order
        ? [{ slug: order, descending: order_by === 'desc' }]
        : [],
    presentation: parsePresentation(input, table, access),
  };
}

/** `columns` may name `id` and `created_at`, which no field list shows (spec: Record). */
export function parsePresentation(
  input: ListInput,
  table: Table,
  { report, app }: Access,
): ListRequest['presentation'] {
  const names = (input.columns || input.fields || undefined)?.split(',').map((name) => name.trim());
  for (const name of names ?? []) {
    const isKnown = ['id', 'created_at'].includes(name) || table.fields.some(({ slug }) => slug === name);
    if (!isKnown) report(`column "${name}" is no field of ${table.name}`);
  }
  return {
    columns: names,
    exact: app.options.columnsResponse === 'exact',
    displayNames: input.display_names,
  };
}
