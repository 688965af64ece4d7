import { z } from 'zod';
import { MAX_LIMIT, selectRecords } from '../data/list';
import { presentRecord } from '../data/present';
import { createRecord, PLAIN_WRITE, updateRecord, type WriteMode } from '../data/writes';
import { compilePrimary } from '../filter/compile';
import type { Predicate } from '../filter/subject';
import { createNotFoundError, createValidationError } from '../http/errors';
import { type Call, defineRoute, type Routes } from '../http/route';
import type { Component } from '../state/site';
import { createSuccess, limitQuery, pageQuery } from './common';
import { formatComponent, isPublicPage } from './pages';

const access = { permission: 'allow_page', isPublic: isPublicPage } as const;

export const components = {
  'GET /api/v1.1/{appId}/pages/{pageId}/components/{componentId}/records': defineRoute({
    ...access,
    // The spec names `sort_by` here and defines no notation for it in a query.
    query: { page: pageQuery, limit: limitQuery, filters: z.unknown(), sort_by: z.unknown() },
    handle: (call) => listRecords(getComponent(call), call.query, call),
  }),

  'POST /api/v1.1/{appId}/pages/{pageId}/components/{componentId}/records': defineRoute({
    ...access,
    json: {
      filters: z.unknown(),
      page: z.number().int().min(1).default(1),
      limit: z.number().int().min(1).optional(),
    },
    handle: (call) => listRecords(getComponent(call), call.json, call),
  }),

  'GET /api/v1.1/{appId}/pages/{pageId}/components/{componentId}/details': defineRoute({
    ...access,
    handle: (call) => createSuccess({ component: formatComponent(getComponent(call)) }),
  }),

  /** Values by field id or slug. The `id` of a record makes it an update. */
  'POST /api/v1.1/{appId}/pages/{pageId}/components/{componentId}/save': defineRoute({
    ...access,
    open: 'either',
    handle: (call) => {
      const component = getComponent(call);
      const { table } = component;
      const id = call.payload.entries.find(([key]) => key === 'id')?.[1];
      const payload = { ...call.payload, entries: call.payload.entries.filter(([key]) => key !== 'id') };
      const mode: WriteMode = { ...PLAIN_WRITE, keys: 'slugsOrIds' };
      if (id === undefined) {
        return createSuccess({
          id: createRecord(table, payload, call, mode).id,
          msg: 'Record saved successfully',
        });
      }
      if (typeof id !== 'string') throw createValidationError({ id: ['Invalid value'] });
      // Only records of the component can be changed (spec: Component rules, 1).
      const record = table.records.get(id);
      if (!record || compileOwnFilter(component, call)?.(record) === false)
        throw createNotFoundError('Record');
      return createSuccess({
        id: updateRecord(table, id, payload, call, mode).id,
        msg: 'Record updated successfully',
      });
    },
  }),
} satisfies Routes;

const getComponent = ({ app, params, user }: Call<unknown, unknown>): Component =>
  app.site.getComponent(params.pageId, params.componentId, user);

/** The component's own filter. Mistakes in it are not violations of the client. */
function compileOwnFilter(
  { filters, table }: Component,
  call: Call<unknown, unknown>,
): Predicate | undefined {
  return compilePrimary(filters, { ...call, table, report: () => undefined });
}

interface ComponentListInput {
  page: number;
  limit?: number;
  filters?: unknown;
}

/** Request filters come on top of the component's own (spec: Component rules, 2). */
function listRecords(component: Component, input: ComponentListInput, call: Call<unknown, unknown>) {
  const { table, settings } = component;
  const limit = Math.min(input.limit ?? settings.records_per_page, call.app.options.maxPageSize);
  if ((input.limit ?? 0) > MAX_LIMIT) call.report(`limit ${input.limit} is over the maximum of ${MAX_LIMIT}`);
  const own = compileOwnFilter(component, call);
  const asked = compilePrimary(input.filters, { ...call, table });
  const matches: Predicate = (record) => (own?.(record) ?? true) && (asked?.(record) ?? true);
  const found = selectRecords(table, matches, [], call);
  const shown = found.slice((input.page - 1) * limit, input.page * limit);
  return createSuccess({
    total: found.length,
    records: shown.map((record) => presentRecord(record, table, call.app)),
  });
}
