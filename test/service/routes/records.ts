import { takeLink, prepareLink } from '../data/linking';
import { listPage, select } from '../data/list';
import { present } from '../data/present';
import type { Table } from '../data/table';
import { createRecord, findRecord, updateRecord, type WriteMode } from '../data/writes';
import { compilePrimary, compileSymbolic } from '../filter/compile';
import { isObject } from '../http/body';
import { denied } from '../http/errors';
import { permit } from '../http/gate';
import { parse, route, type Call, type Routes } from '../http/route';
import { z } from 'zod';
import { booleanQuery, success, tableById } from './common';
import { listBody, listQuery, listRequest, presentation, presentationQuery } from './listRequest';

/** A JSON body with one of these keys lists; any other body creates (spec: Records). */
const LIST_KEYS = ['filters', 'page', 'limit', 'order', 'order_by', 'sort_by'];

export const records = {
  'GET /api/v1/data-tables/{dataTableId}/records': route({
    permission: 'allow_get',
    query: listQuery,
    handle: (call) => list(tableById(call.params.dataTableId, call), call.query, compilePrimary, call),
  }),

  'POST /api/v1/data-tables/{dataTableId}/records': route({
    open: 'either',
    formulaHeaders: true,
    query: { showequationlog: booleanQuery.optional() },
    handle: (call) => {
      const table = tableById(call.params.dataTableId, call);
      const body = call.body.kind === 'json' && isObject(call.body.value) ? call.body.value : {};
      const lists = LIST_KEYS.some((key) => key in body);
      call.recorded.intent = lists ? 'list' : 'create';
      if (!lists) return create(table, call);
      permit(call.key, 'allow_get');
      return list(table, parse(listBody, body, 'body', call.report), compilePrimary, call);
    },
  }),

  'POST /api/v1/data-tables/{dataTableId}/records?_zmode=search': route({
    permission: 'allow_get',
    query: { _zmode: z.literal('search') },
    json: listBody,
    handle: (call) => list(tableById(call.params.dataTableId, call), call.json, compileSymbolic, call),
  }),

  'GET /api/v1/data-tables/{dataTableId}/records/{recordId}': route({
    permission: 'allow_get',
    query: presentationQuery,
    handle: (call) => {
      const table = tableById(call.params.dataTableId, call);
      const record = findRecord(table, call.params.recordId ?? '', call);
      return success({ item: present(record, table, call.app, presentation(call.query, table, call)) });
    },
  }),

  'POST /api/v1/data-tables/{dataTableId}/records/{recordId}': route({
    permission: 'allow_edit',
    open: 'either',
    formulaHeaders: true,
    handle: (call) => {
      const table = tableById(call.params.dataTableId, call);
      const record = updateRecord(table, call.params.recordId ?? '', call.payload, call, writeMode(call));
      return success({ msg: 'Record updated successfully', item: present(record, table, call.app) });
    },
  }),

  'DELETE /api/v1/data-tables/{dataTableId}/records/{recordId}': route({
    permission: 'allow_delete',
    handle: (call) => {
      const table = tableById(call.params.dataTableId, call);
      const { id } = findRecord(table, call.params.recordId ?? '', call);
      if (call.user && table.policy?.mayDelete === false) throw denied();
      table.delete(id);
      return success({ msg: 'Record deleted successfully' });
    },
  }),
} satisfies Routes;

function list(
  table: Table,
  input: z.infer<z.ZodObject<typeof listBody>>,
  compile: typeof compilePrimary,
  call: Call,
) {
  const request = listRequest(input, table, call);
  const test = compile(input.filters, { ...call, table });
  return listPage(table, select(table, test, request.sort, call), request, call);
}

function create(table: Table, call: Call<{ showequationlog?: boolean }>) {
  permit(call.key, 'allow_edit');
  const { rest, link } = takeLink(call.payload, call);
  const tie = link && prepareLink(table, link, call);
  const mode = writeMode(call);
  const created = createRecord(table, rest, call, mode);
  const record = tie ? tie(created) : created;
  return success({
    msg: 'Record saved successfully',
    item: present(record, table, call.app),
    ...(call.query.showequationlog && {
      equationLog: mode.formulas === 'now' ? equationLog(table, record.id) : [],
    }),
  });
}

function equationLog(table: Table, id: string) {
  return table.fields.flatMap(({ slug, formula }) => {
    const result = table.records.get(id)?.[slug];
    return formula ? [{ field: slug, formula: formula.text, result, execution_time_ms: 1 }] : [];
  });
}

/** The four headers of create and update. Without any of them, formulas and rules run at once. */
function writeMode({ header, app }: Call): WriteMode {
  const flag = (name: string) => header(`X-${app.options.headerPrefix}-${name}`);
  const skips = flag('Update-Equation') === '0';
  return {
    formulas: flag('Queue-Equation') === '1' ? 'later' : skips ? 'skip' : 'now',
    tableFormulas: flag('Update-Table-Equation') === '1',
    rules: flag('Table-Rules') !== '0',
  };
}
