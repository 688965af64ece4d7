import { createValidationError, ResponseError } from '../http/errors';
import type { Access } from '../state/access';
import { createBlankValue, type Field, isBlank } from './field';
import { type Payload, type PayloadKeys, readPayload } from './payload';
import type { StoredRecord, Table } from './table';

/** Settings of a write, from the formula headers (spec: Records). */
export interface WriteMode {
  formulas: 'now' | 'later' | 'skip';
  tableFormulas: boolean;
  rules: boolean;
  keys?: PayloadKeys;
}

export const PLAIN_WRITE: WriteMode = { formulas: 'now', tableFormulas: false, rules: true };

export function createRecord(table: Table, payload: Payload, access: Access, mode: WriteMode): StoredRecord {
  const { values, errors } = readPayload(table, payload, access, mode.keys);
  const blanks = Object.fromEntries(
    table.fields.map((field) => [field.key, createBlankValue(field, access.app.options)]),
  );
  const candidate = mergeValues(blanks, values);
  validateRecord(table, candidate, table.fields, errors, mode);
  const record = table.insert(candidate, {
    compute: mode.formulas === 'now',
    saved: Object.keys(values),
  });
  recalculateAfterWrite(table, record.id, access, mode);
  return record;
}

export function updateRecord(
  table: Table,
  id: string,
  payload: Payload,
  access: Access,
  mode: WriteMode,
): StoredRecord {
  const current = getRecord(table, id, access);
  const { values, errors } = readPayload(table, payload, access, mode.keys);
  const candidate = mergeValues(createUpdateBase(table, current, access), values);
  validateRecord(
    table,
    candidate,
    table.fields.filter(({ key }) => key in values),
    errors,
    mode,
    id,
  );
  const record = table.update(id, candidate, {
    compute: mode.formulas === 'now',
    saved: Object.keys(values),
  });
  recalculateAfterWrite(table, id, access, mode);
  return record;
}

/** A record that the caller may see; undefined for any other (Row Level Security). */
export function findRecord(table: Table, id: string, access: Access): StoredRecord | undefined {
  const record = table.records.get(id);
  return record && canSee(table, record, access) ? record : undefined;
}

/** As `findRecord`. @throws ResponseError for a record that the caller may not see, or that does not exist */
export function getRecord(table: Table, id: string, access: Access): StoredRecord {
  const record = findRecord(table, id, access);
  if (record) return record;
  const { missingRecord } = access.app.options;
  throw new ResponseError(typeof missingRecord === 'number' ? missingRecord : 404, 'Record Not Found');
}

export const canSee = (table: Table, record: StoredRecord, { user }: Access): boolean =>
  !user || !table.policy || table.policy.canSee(record, user.id);

/** The values that an update starts from: the record's, or blank ones when updates empty omitted fields. */
function createUpdateBase(
  table: Table,
  current: StoredRecord,
  { app: { options } }: Access,
): Record<string, unknown> {
  if (options.omittedOnUpdate === 'keep') return current;
  return Object.fromEntries(
    table.fields.map((field) => [
      field.key,
      field.format.computed ? current[field.key] : createBlankValue(field, options),
    ]),
  );
}

/** Merges values; of a composite field, part by part. */
export function mergeValues(
  base: Record<string, unknown>,
  values: Record<string, unknown>,
): Record<string, unknown> {
  const merged = Object.entries(values).map(([key, value]): [string, unknown] => {
    const isParts = value !== null && typeof value === 'object' && !Array.isArray(value);
    return [key, isParts ? { ...(base[key] as object), ...value } : value];
  });
  return { ...base, ...Object.fromEntries(merged) };
}

/** Checks required, unique and the table's rules (spec: Errors). @throws ResponseError 422 with all messages */
export function validateRecord(
  table: Table,
  candidate: Record<string, unknown>,
  fields: readonly Field[],
  errors: Record<string, string[]>,
  mode: WriteMode,
  id?: string,
): void {
  const found = new Map(Object.entries(errors));
  const ignoresCase = table.options.uniqueText === 'ignoresCase';
  const toUniqueValue = (value: unknown) =>
    ignoresCase && typeof value === 'string' ? value.toLowerCase() : value;
  for (const { key, slug, required, unique } of fields) {
    if (found.has(slug)) continue;
    const blank = isBlank(candidate[key]);
    if (required && blank) found.set(slug, ['This field is required']);
    if (unique && !blank && isTaken(table, key, toUniqueValue(candidate[key]), toUniqueValue, id))
      found.set(slug, ['This field is unique']);
  }
  const broken = mode.rules ? table.rules.map((rule) => rule(candidate as StoredRecord)) : [];
  for (const [key, messages] of broken.flatMap((errors) => Object.entries(errors ?? {})))
    found.set(table.fields.find((field) => field.key === key)?.slug ?? key, messages);
  if (found.size > 0) throw createValidationError(Object.fromEntries(found));
}

function isTaken(
  table: Table,
  key: string,
  value: unknown,
  toUniqueValue: (value: unknown) => unknown,
  id?: string,
): boolean {
  for (const record of table.records.values())
    if (toUniqueValue(record[key]) === value && record.id !== id) return true;
  return false;
}

function recalculateAfterWrite(table: Table, id: string, { app }: Access, mode: WriteMode): void {
  if (mode.formulas === 'later') app.jobs.runLater(() => void table.compute(id));
  if (mode.tableFormulas) for (const other of table.records.keys()) table.compute(other);
}
