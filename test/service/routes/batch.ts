import { z } from 'zod';
import { selectRecords } from '../data/list';
import { type Payload, readPayload } from '../data/payload';
import type { StoredRecord, Table } from '../data/table';
import { mergeValues, PLAIN_WRITE, validateRecord } from '../data/writes';
import { compileBatchConditions, compileBatchFilter } from '../filter/compile';
import type { Predicate } from '../filter/subject';
import { createValidationError } from '../http/errors';
import { type Call, defineRoute, type Routes } from '../http/route';
import { createSuccess, getTableById } from './common';

const batchValue = z
  .object({ field_id: z.string(), value: z.unknown(), val_type: z.literal('normal') })
  .strict();

export const batch = {
  'GET /api/v1/data-tables/{dataTableId}/records/batch-update-check': defineRoute({
    permission: 'allow_get',
    json: { filters: z.unknown() },
    handle: (call) => {
      const table = getTableById(call.params.dataTableId, call);
      const total = findTouchedRecords(
        table,
        compileBatchFilter(call.json.filters, { ...call, table }),
        call,
      ).length;
      return createSuccess({ total, msg: `${total} records found` });
    },
  }),

  'POST /api/v1/data-tables/{dataTableId}/records/batch-update': defineRoute({
    permission: 'allow_edit',
    json: { conditions: z.array(z.unknown()), values: z.array(batchValue).min(1) },
    handle: (call) => {
      const table = getTableById(call.params.dataTableId, call);
      const found = findTouchedRecords(
        table,
        compileBatchConditions(call.json.conditions, { ...call, table }),
        call,
      );
      const entries = call.json.values.map(({ field_id, value }): [string, unknown] => [field_id, value]);
      updateAll(table, found, { form: false, entries }, call);
      return createSuccess({ total: found.length, msg: `${found.length} records updated` });
    },
  }),
} satisfies Routes;

/** Without a valid condition a batch update reaches every record of the table; that is noted. */
function findTouchedRecords(table: Table, test: Predicate | undefined, call: Call) {
  if (!test) call.report('a batch without any valid condition touches every record');
  return selectRecords(table, test, [], call);
}

/** Validates every record before it changes the first one. */
function updateAll(table: Table, found: StoredRecord[], payload: Payload, call: Call): void {
  const { values, errors } = readPayload(table, payload, call, 'wholeFields');
  const given = table.fields.filter(({ key }) => key in values);
  const twice = found.length > 1 ? given.find(({ unique }) => unique) : undefined;
  if (twice) throw createValidationError({ [twice.slug]: ['This field is unique'] });
  const changes = found.map((record) => ({ id: record.id, candidate: mergeValues(record, values) }));
  for (const { id, candidate } of changes) validateRecord(table, candidate, given, errors, PLAIN_WRITE, id);
  for (const { id, candidate } of changes) table.update(id, candidate, { saved: Object.keys(values) });
}
