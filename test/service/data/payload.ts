/* eslint-disable @n8n/community-nodes/require-node-api-error -- not shipped: runs on Node */
import type { Access } from '../state/access';
import type { Field } from './field';
import { type FilePart, InvalidValueError, type ReadContext } from './readValue';
import type { Table } from './table';

/** The entries of a create or update body, in either of its two content types. */
export interface Payload {
  form: boolean;
  /** Values of a JSON body, or per name the parts of a form: a text, a file, or a list when repeated. */
  entries: [key: string, raw: unknown][];
}

interface PayloadValues {
  /** Stored values by slug; for composite fields only the parts that were sent. */
  values: Record<string, unknown>;
  errors: Record<string, string[]>;
}

interface PayloadTarget {
  field: Field;
  part?: string;
}

/**
 * How a payload names fields. `slugs`: slugs and parts, as in create and update. `slugsOrIds`: field ids
 * as well (component save). `wholeFields`: slugs or field ids without parts, since the spec defines no
 * notation of a part in the `values` of a batch update.
 */
export type PayloadKeys = 'slugs' | 'slugsOrIds' | 'wholeFields';

/** The field, and part, that a payload key writes (spec: Field-type value formats). */
function findTarget(key: string, table: Table, form: boolean, keys: PayloadKeys): PayloadTarget | undefined {
  for (const field of table.fields) {
    const { computed, parts, repeats } = field.format;
    if (computed) continue;
    for (const name of keys === 'slugs' ? [field.slug] : [field.slug, field.fieldId]) {
      if (!key.startsWith(name)) continue;
      const suffix = key.slice(name.length);
      if (suffix === '' && !parts) return { field };
      if (suffix === '[]' && form && repeats) return { field };
      if (keys !== 'wholeFields' && parts && Object.hasOwn(parts, suffix))
        return { field, part: parts[suffix] };
    }
  }
  return undefined;
}

/** Reads every entry. A key that names no writable field is ignored and noted as a violation. */
export function readPayload(
  table: Table,
  payload: Payload,
  access: Access,
  keys: PayloadKeys = 'slugs',
): PayloadValues {
  // Maps: a slug may be `__proto__`.
  const values = new Map<string, unknown>();
  const errors = new Map<string, string[]>();
  for (const [key, raw] of payload.entries) {
    const target = findTarget(key, table, payload.form, keys);
    if (!target) {
      access.report(`payload key "${key}" names no writable field of ${table.name}`);
      continue;
    }
    const { field, part } = target;
    try {
      const value = field.format.read(
        toList(key, raw, payload.form),
        createReadContext(field, key, payload.form, access),
      );
      values.set(field.slug, part ? { ...(values.get(field.slug) as object), [part]: value } : value);
    } catch (error) {
      if (!(error instanceof InvalidValueError)) throw error;
      errors.set(field.slug, [error.message]);
    }
  }
  return { values: Object.fromEntries(values), errors: Object.fromEntries(errors) };
}

/** `<slug>[]` that is sent once is a list of one. */
const toList = (key: string, raw: unknown, form: boolean) =>
  form && key.endsWith('[]') && !Array.isArray(raw) ? [raw] : raw;

function createReadContext(field: Field, key: string, form: boolean, { app, report }: Access): ReadContext {
  return {
    form,
    options: field.options,
    hasTarget: (id) => app.findTable(field.to ?? '')?.records.has(id) ?? false,
    dropsUnknownRecords: app.options.unknownConnection === 'dropped',
    storeFile: (file: FilePart) => app.files.store(file),
    reportWrongType: (expected) => report(`payload key "${key}" (${field.type}) is not ${expected}`),
  };
}
