import { invalid, notFound } from '../http/errors';
import type { Access } from '../state/access';
import { blankOf, isBlank, type Field } from './field';
import { readPayload, type Payload } from './payload';
import type { StoredRecord, Table } from './table';

/** How a write behaves beyond its values; from the formula headers (spec: Records). */
export interface WriteMode {
  formulas: 'now' | 'later' | 'skip';
  tableFormulas: boolean;
  rules: boolean;
  byFieldId?: boolean;
}

export const PLAIN_WRITE: WriteMode = { formulas: 'now', tableFormulas: false, rules: true };

export function createRecord(table: Table, payload: Payload, access: Access, mode: WriteMode): StoredRecord {
  const { values, errors } = readPayload(table, payload, access, mode.byFieldId);
  const blanks = Object.fromEntries(
    table.fields.map((field) => [field.slug, blankOf(field, access.app.options)]),
  );
  const candidate = merge(blanks, values);
  check(table, candidate, table.fields, errors, mode);
  const record = table.insert(candidate, { compute: mode.formulas === 'now' });
  afterWrite(table, record.id, access, mode);
  return record;
}

export function updateRecord(
  table: Table,
  id: string,
  payload: Payload,
  access: Access,
  mode: WriteMode,
): StoredRecord {
  const current = findRecord(table, id, access);
  const { values, errors } = readPayload(table, payload, access, mode.byFieldId);
  const candidate = merge(base(table, current, access), values);
  check(
    table,
    candidate,
    table.fields.filter(({ slug }) => slug in values),
    errors,
    mode,
    id,
  );
  const record = table.update(id, candidate, { compute: mode.formulas === 'now' });
  afterWrite(table, id, access, mode);
  return record;
}

/** A record the caller may see; Row Level Security makes the others look missing. */
export function findRecord(table: Table, id: string, access: Access): StoredRecord {
  const record = table.records.get(id);
  if (!record || !sees(table, record, access)) throw notFound('Record');
  return record;
}

export const sees = (table: Table, record: StoredRecord, { user }: Access): boolean =>
  !user || !table.policy || table.policy.sees(record, user.id);

/** What an update starts from: the record, or under the other reading of the spec an empty one. */
function base(table: Table, current: StoredRecord, { app: { options } }: Access): Record<string, unknown> {
  if (options.omittedOnUpdate === 'keep') return current;
  const stays = (field: Field) => field.format.computed;
  return Object.fromEntries(
    table.fields.map((field) => [field.slug, stays(field) ? current[field.slug] : blankOf(field, options)]),
  );
}

/** Parts of a composite field are optional one by one, so they merge. */
export function merge(
  base: Record<string, unknown>,
  values: Record<string, unknown>,
): Record<string, unknown> {
  const merged = { ...base };
  for (const [slug, value] of Object.entries(values)) {
    const isParts = value !== null && typeof value === 'object' && !Array.isArray(value);
    merged[slug] = isParts ? { ...(base[slug] as object), ...value } : value;
  }
  return merged;
}

/** Required, unique and the table's own rules (spec: Errors); throws 422 with all that is wrong. */
export function check(
  table: Table,
  candidate: Record<string, unknown>,
  fields: readonly Field[],
  errors: Record<string, string[]>,
  mode: WriteMode,
  id?: string,
): void {
  const found = { ...errors };
  for (const { slug, required, unique } of fields) {
    if (slug in found) continue;
    const blank = isBlank(candidate[slug]);
    if (required && blank) found[slug] = ['This field is required'];
    if (unique && !blank && isTaken(table, slug, candidate[slug], id)) found[slug] = ['This field is unique'];
  }
  if (mode.rules) Object.assign(found, ...table.rules.map((rule) => rule(candidate as StoredRecord)));
  if (Object.keys(found).length > 0) throw invalid(found);
}

function isTaken(table: Table, slug: string, value: unknown, id?: string): boolean {
  for (const record of table.records.values()) if (record[slug] === value && record.id !== id) return true;
  return false;
}

export function afterWrite(table: Table, id: string, { app }: Access, mode: WriteMode): void {
  if (mode.formulas === 'later') app.jobs.later(() => void table.compute(id));
  if (mode.tableFormulas) for (const other of table.records.keys()) table.compute(other);
}
