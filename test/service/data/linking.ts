import { z } from 'zod';
import { isObject } from '../http/body';
import { createValidationError } from '../http/errors';
import { parseShape } from '../http/route';
import type { Access } from '../state/access';
import type { Payload } from './payload';
import type { StoredRecord, Table } from './table';

const LINK = { join_type: z.literal('joinTo'), field_id: z.string(), record_id: z.string() };

/** Separates `connected_to` from a create payload (spec: Linked record creation). */
export function extractLink(
  payload: Payload,
  access: Access,
): { rest: Payload; link?: z.infer<z.ZodObject<typeof LINK>> } {
  const raw: Record<string, unknown> = {};
  const entries = payload.entries.filter(([key, value]) => {
    const part = payload.form ? /^connected_to\[(\w+)\]$/.exec(key)?.[1] : undefined;
    if (part) raw[part] = value;
    else if (key === 'connected_to') Object.assign(raw, isObject(value) ? value : { value });
    return !part && key !== 'connected_to';
  });
  const isLinked = Object.keys(raw).length > 0;
  return {
    rest: { ...payload, entries },
    link: isLinked ? parseShape(LINK, raw, 'body', access.report) : undefined,
  };
}

/**
 * Finds the field and the parent before anything is written. Returns the function that links the created
 * record. The connection field may be in the new record's table or in the parent's.
 */
export function prepareLink(
  table: Table,
  { field_id, record_id }: { field_id: string; record_id: string },
  { app, report }: Access,
): (created: StoredRecord) => StoredRecord {
  const owner = app.tables.find(({ fields }) => fields.some(({ fieldId }) => fieldId === field_id));
  const field = owner?.findField(field_id);
  const target = app.findTable(field?.to ?? '');
  if (owner === table && field && target?.records.has(record_id)) {
    return ({ id, ...record }) => {
      const before = field.many ? (record[field.key] as string[]) : [];
      return table.update(id, { [field.key]: [...before, record_id] });
    };
  }
  const parent = owner?.records.get(record_id);
  if (owner && field && target === table && parent) {
    return (created) => {
      const before = field.many ? (parent[field.key] as string[]) : [];
      owner.update(parent.id, { [field.key]: [...before, created.id] });
      return created;
    };
  }
  if (!field) report(`connected_to.field_id "${field_id}" is not the field id of a connection`);
  throw createValidationError({ connected_to: [field ? 'Record Not Found' : 'Invalid value'] });
}
