import { z } from 'zod';
import { select } from '../data/list';
import { readPayload, type Payload } from '../data/payload';
import type { StoredRecord, Table } from '../data/table';
import { check, merge, PLAIN_WRITE } from '../data/writes';
import { compileGroups, compileSymbolic } from '../filter/compile';
import type { Test } from '../filter/subject';
import { invalid } from '../http/errors';
import { route, type Call, type Routes } from '../http/route';
import { success, tableById } from './common';

const batchValue = z
  .object({ field_id: z.string(), value: z.unknown(), val_type: z.literal('normal') })
  .strict();

export const batch = {
  'GET /api/v1/data-tables/{dataTableId}/records/batch-update-check': route({
    permission: 'allow_get',
    json: { filters: z.unknown() },
    handle: (call) => {
      const table = tableById(call.params.dataTableId, call);
      const total = touched(table, compileSymbolic(call.json.filters, { ...call, table }), call).length;
      return success({ total, msg: `${total} records found` });
    },
  }),

  'POST /api/v1/data-tables/{dataTableId}/records/batch-update': route({
    permission: 'allow_edit',
    json: { conditions: z.array(z.unknown()), values: z.array(batchValue).min(1) },
    handle: (call) => {
      const table = tableById(call.params.dataTableId, call);
      const found = touched(table, compileGroups(call.json.conditions, { ...call, table }), call);
      const entries = call.json.values.map(({ field_id, value }): [string, unknown] => [field_id, value]);
      update(table, found, { form: false, entries }, call);
      return success({ total: found.length, msg: `${found.length} records updated` });
    },
  }),
} satisfies Routes;

/** With every condition dropped, a batch update reaches the whole table: the trap is kept, and noted. */
function touched(table: Table, test: Test | undefined, call: Call) {
  if (!test) call.report('a batch without any valid condition touches every record');
  return select(table, test, [], call);
}

/** All or nothing: every record is checked before the first one changes. */
function update(table: Table, found: StoredRecord[], payload: Payload, call: Call): void {
  const { values, errors } = readPayload(table, payload, call, true);
  const given = table.fields.filter(({ slug }) => slug in values);
  const twice = found.length > 1 ? given.find(({ unique }) => unique) : undefined;
  if (twice) throw invalid({ [twice.slug]: ['This field is unique'] });
  const changes = found.map((record) => ({ id: record.id, candidate: merge(record, values) }));
  for (const { id, candidate } of changes) check(table, candidate, given, errors, PLAIN_WRITE, id);
  for (const { id, candidate } of changes) table.update(id, candidate);
}
