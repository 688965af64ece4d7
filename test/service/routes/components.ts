import { z } from 'zod';
import { MAX_LIMIT, select } from '../data/list';
import { present } from '../data/present';
import { createRecord, PLAIN_WRITE, updateRecord } from '../data/writes';
import { compilePrimary } from '../filter/compile';
import type { Test } from '../filter/subject';
import { invalid, notFound } from '../http/errors';
import { route, type Call, type Routes } from '../http/route';
import type { Component } from '../state/site';
import { limitQuery, pageQuery, success } from './common';
import { sortBy } from './listRequest';
import { isPublicPage, shownComponent } from './pages';

const access = { permission: 'allow_page', isPublic: isPublicPage } as const;

export const components = {
  'GET /api/v1.1/{appId}/pages/{pageId}/components/{componentId}/records': route({
    ...access,
    query: { page: pageQuery, limit: limitQuery, filters: z.unknown(), sort_by: sortBy.optional() },
    handle: (call) => list(componentOf(call), call.query, call),
  }),

  'POST /api/v1.1/{appId}/pages/{pageId}/components/{componentId}/records': route({
    ...access,
    json: {
      filters: z.unknown(),
      page: z.number().int().min(1).default(1),
      limit: z.number().int().min(1).optional(),
    },
    handle: (call) => list(componentOf(call), call.json, call),
  }),

  'GET /api/v1.1/{appId}/pages/{pageId}/components/{componentId}/details': route({
    ...access,
    handle: (call) => success({ component: shownComponent(componentOf(call)) }),
  }),

  /** Values by field id or slug; with the `id` of a record, an update. */
  'POST /api/v1.1/{appId}/pages/{pageId}/components/{componentId}/save': route({
    ...access,
    open: 'either',
    handle: (call) => {
      const component = componentOf(call);
      const { table } = component;
      const id = call.payload.entries.find(([key]) => key === 'id')?.[1];
      const payload = { ...call.payload, entries: call.payload.entries.filter(([key]) => key !== 'id') };
      const mode = { ...PLAIN_WRITE, byFieldId: true };
      if (id === undefined) {
        return success({ id: createRecord(table, payload, call, mode).id, msg: 'Record saved successfully' });
      }
      if (typeof id !== 'string') throw invalid({ id: ['Invalid value'] });
      // The component's own rules decide which records it may touch (spec: Component rules, 1).
      const record = table.records.get(id);
      if (!record || ownTest(component, call)?.(record) === false) throw notFound('Record');
      return success({
        id: updateRecord(table, id, payload, call, mode).id,
        msg: 'Record updated successfully',
      });
    },
  }),
} satisfies Routes;

const componentOf = ({ app, params, user }: Call<unknown, unknown>): Component =>
  app.site.component(params.pageId, params.componentId, user);

/** The builder's filter is no request of the client, so nothing in it is noted against it. */
function ownTest({ filters, table }: Component, call: Call<unknown, unknown>): Test | undefined {
  return compilePrimary(filters, { ...call, table, report: () => undefined });
}

interface Input {
  page: number;
  limit?: number;
  filters?: unknown;
  sort_by?: z.infer<typeof sortBy>;
}

/** Request filters come on top of the component's own (spec: Component rules, 2). */
function list(component: Component, input: Input, call: Call<unknown, unknown>) {
  const { table, settings } = component;
  const limit = Math.min(input.limit ?? settings.records_per_page, MAX_LIMIT);
  if ((input.limit ?? 0) > MAX_LIMIT) call.report(`limit ${input.limit} is over the maximum of ${MAX_LIMIT}`);
  const own = ownTest(component, call);
  const asked = compilePrimary(input.filters, { ...call, table });
  const sort = (input.sort_by ?? []).map(({ sort: slug, by }) => ({ slug, descending: by === 'desc' }));
  const test: Test = (record) => (own?.(record) ?? true) && (asked?.(record) ?? true);
  const found = select(table, test, sort, call);
  const shown = found.slice((input.page - 1) * limit, input.page * limit);
  return success({ total: found.length, records: shown.map((record) => present(record, table, call.app)) });
}
