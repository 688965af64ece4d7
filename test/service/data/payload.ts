import type { Access } from '../state/access';
import { BadValue, type FilePart, type Reading } from './reading';
import type { Field } from './field';
import type { Table } from './table';

/** The entries of a create or update body, in either of its two content types. */
export interface Payload {
  form: boolean;
  /** Values of a JSON body, or per name the parts of a form: a text, a file, or a list when repeated. */
  entries: [key: string, raw: unknown][];
}

export interface PayloadValues {
  /** Stored values by slug; for composite fields only the parts that were sent. */
  values: Record<string, unknown>;
  errors: Record<string, string[]>;
}

interface Target {
  field: Field;
  part?: string;
}

/** Which field (and part) a payload key writes (spec: Field-type value formats). */
function findTarget(key: string, table: Table, form: boolean, byFieldId: boolean): Target | undefined {
  for (const field of table.fields) {
    const names = byFieldId ? [field.slug, field.fieldId] : [field.slug];
    const name = names.find((candidate) => key.startsWith(candidate));
    if (name === undefined || field.format.computed) continue;
    const suffix = key.slice(name.length);
    const part = field.format.parts?.[suffix];
    if (part !== undefined) return { field, part };
    if (suffix === '' && !field.format.parts) return { field };
    if (suffix === '[]' && form && field.format.repeats) return { field };
  }
  return undefined;
}

/** Reads every entry; a key no field answers to is ignored, and noted as a mistake of the client. */
export function readPayload(
  table: Table,
  payload: Payload,
  access: Access,
  byFieldId = false,
): PayloadValues {
  const values: Record<string, unknown> = {};
  const errors: Record<string, string[]> = {};
  for (const [key, raw] of payload.entries) {
    const target = findTarget(key, table, payload.form, byFieldId);
    if (!target) {
      access.report(`payload key "${key}" names no writable field of ${table.name}`);
      continue;
    }
    const { field, part } = target;
    try {
      const value = field.format.read(
        list(key, raw, payload.form),
        reading(field, key, payload.form, access),
      );
      values[field.slug] = part ? { ...(values[field.slug] as object), [part]: value } : value;
    } catch (error) {
      if (!(error instanceof BadValue)) throw error;
      errors[field.slug] = [error.message];
    }
  }
  return { values, errors };
}

/** `<slug>[]` sent once is still a list. */
const list = (key: string, raw: unknown, form: boolean) =>
  form && key.endsWith('[]') && !Array.isArray(raw) ? [raw] : raw;

function reading(field: Field, key: string, form: boolean, { app, report }: Access): Reading {
  return {
    form,
    options: field.options,
    connects: (id) => app.table(field.to ?? '')?.records.has(id) ?? false,
    storeFile: (file: FilePart) => app.files.store(file),
    wrongType: (expected) => report(`payload key "${key}" (${field.type}) is not ${expected}`),
  };
}
