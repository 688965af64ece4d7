import { z } from 'zod';
import { extractLink, prepareLink } from '../data/linking';
import { formatListPage, selectRecords } from '../data/list';
import { presentRecord } from '../data/present';
import type { StoredRecord, Table } from '../data/table';
import { createRecord, findRecord, getRecord, updateRecord, type WriteMode } from '../data/writes';
import { compilePrimary, compileSymbolic } from '../filter/compile';
import { requirePermission } from '../http/authorize';
import { isObject } from '../http/body';
import { createDeniedError } from '../http/errors';
import { type Call, defineRoute, parseShape, type Routes } from '../http/route';
import { booleanQuery, createSuccess, getTableById } from './common';
import { listBody, listQuery, parseListRequest, parsePresentation, presentationQuery } from './listRequest';

/** A JSON body with one of these keys lists; any other body creates (spec: Records). */
const LIST_KEYS = ['filters', 'page', 'limit', 'order', 'order_by', 'sort_by'];

/** `item` in place of a record that does not exist (`ServiceOptions.missingRecord`). */
const MISSING_ITEMS = { emptyList: [], emptyObject: {}, zero: 0, null: null };

export const records = {
  'GET /api/v1/data-tables/{dataTableId}/records': defineRoute({
    permission: 'allow_get',
    query: listQuery,
    handle: (call) =>
      listRecords(getTableById(call.params.dataTableId, call), call.query, compilePrimary, call),
  }),

  'POST /api/v1/data-tables/{dataTableId}/records': defineRoute({
    open: 'either',
    formulaHeaders: true,
    query: { showequationlog: booleanQuery.optional() },
    handle: (call) => {
      const table = getTableById(call.params.dataTableId, call);
      const body = call.body.kind === 'json' && isObject(call.body.value) ? call.body.value : {};
      const asks = LIST_KEYS.some((key) => key in body);
      const lists = asks && call.app.options.listingPost === 'lists';
      call.recorded.intent = lists ? 'list' : 'create';
      if (asks && !lists) return formatCreated(table, table.insert(), call);
      if (!asks) return createAndLink(table, call);
      requirePermission(call.key, 'allow_get');
      return listRecords(table, parseShape(listBody, body, 'body', call.report), compilePrimary, call);
    },
  }),

  'POST /api/v1/data-tables/{dataTableId}/records?_zmode=search': defineRoute({
    permission: 'allow_get',
    query: { _zmode: z.literal('search') },
    json: listBody,
    handle: (call) =>
      listRecords(getTableById(call.params.dataTableId, call), call.json, compileSymbolic, call),
  }),

  'GET /api/v1/data-tables/{dataTableId}/records/{recordId}': defineRoute({
    permission: 'allow_get',
    query: presentationQuery,
    handle: (call) => {
      const table = getTableById(call.params.dataTableId, call);
      const id = call.params.recordId ?? '';
      const presentation = parsePresentation(call.query, table, call);
      const { missingRecord } = call.app.options;
      const record =
        typeof missingRecord === 'number' ? getRecord(table, id, call) : findRecord(table, id, call);
      return createSuccess({
        item: record
          ? presentRecord(record, table, call.app, { ...presentation, place: 'single' })
          : MISSING_ITEMS[missingRecord as keyof typeof MISSING_ITEMS],
      });
    },
  }),

  'POST /api/v1/data-tables/{dataTableId}/records/{recordId}': defineRoute({
    permission: 'allow_edit',
    open: 'either',
    formulaHeaders: true,
    handle: (call) => {
      const table = getTableById(call.params.dataTableId, call);
      const record = updateRecord(table, call.params.recordId ?? '', call.payload, call, readWriteMode(call));
      const answers = {
        item: { item: presentRecord(record, table, call.app) },
        recordId: { recordId: record.id },
        bare: {},
      };
      return createSuccess({
        msg: 'Record updated successfully',
        ...answers[call.app.options.updateAnswer],
      });
    },
  }),

  'DELETE /api/v1/data-tables/{dataTableId}/records/{recordId}': defineRoute({
    permission: 'allow_delete',
    handle: (call) => {
      const table = getTableById(call.params.dataTableId, call);
      const { id } = getRecord(table, call.params.recordId ?? '', call);
      if (call.user && table.policy?.mayDelete === false) throw createDeniedError();
      table.delete(id);
      return createSuccess({ msg: 'Record deleted successfully' });
    },
  }),
} satisfies Routes;

function listRecords(
  table: Table,
  input: z.infer<z.ZodObject<typeof listBody>>,
  compile: typeof compilePrimary,
  call: Call,
) {
  const request = parseListRequest(input, table, call);
  const test = compile(input.filters, { ...call, table });
  return formatListPage(table, selectRecords(table, test, request.sort, call), request, call);
}

function createAndLink(table: Table, call: Call<{ showequationlog?: boolean }>) {
  requirePermission(call.key, 'allow_edit');
  const { rest, link } = extractLink(call.payload, call);
  const tie = link && prepareLink(table, link, call);
  const mode = readWriteMode(call);
  const created = createRecord(table, rest, call, mode);
  const record = tie ? tie(created) : created;
  return {
    ...formatCreated(table, record, call),
    ...(call.query.showequationlog && {
      equationLog: mode.formulas === 'now' ? createEquationLog(table, record.id) : [],
    }),
  };
}

function formatCreated(table: Table, record: StoredRecord, { app }: Call<unknown>) {
  const answers = {
    item: { item: presentRecord(record, table, app) },
    recordId: { recordId: record.id },
    id: { id: record.id },
    none: {},
  };
  return createSuccess({
    msg: 'Record saved successfully',
    ...answers[app.options.createAnswer],
  });
}

function createEquationLog(table: Table, id: string) {
  return table.fields.flatMap(({ key, slug, formula }) => {
    const result = table.records.get(id)?.[key];
    return formula ? [{ field: slug, formula: formula.text, result, execution_time_ms: 1 }] : [];
  });
}

/** The four headers of create and update. Without them, formulas and rules run at once. */
function readWriteMode({ getHeader: header, app }: Call): WriteMode {
  const readFlag = (name: string) => header(`X-${app.options.headerPrefix}-${name}`);
  const skips = readFlag('Update-Equation') === '0';
  return {
    formulas: readFlag('Queue-Equation') === '1' ? 'later' : skips ? 'skip' : 'now',
    tableFormulas: readFlag('Update-Table-Equation') === '1',
    rules: readFlag('Table-Rules') !== '0',
  };
}
