/* eslint-disable @n8n/community-nodes/require-node-api-error -- not shipped: runs on Node */
import { isObject } from '../http/body';
import type { ServiceOptions } from '../options';
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
  /** Stored values by the keys of their fields; for composite fields only the parts that were sent. */
  values: Record<string, unknown>;
  /** By slug. */
  errors: Record<string, string[]>;
}

/** A value for a field, or for one part of it. */
interface Assignment {
  field: Field;
  part?: string;
  raw: unknown;
}

/**
 * How a payload names fields. `slugs`: slugs and parts, as in create and update. `slugsOrIds`: field ids
 * as well (component save). `wholeFields`: slugs or field ids without parts, since the spec defines no
 * notation of a part in the `values` of a batch update.
 */
export type PayloadKeys = 'slugs' | 'slugsOrIds' | 'wholeFields';

/** How one body is read. */
interface Notation {
  form: boolean;
  keys: PayloadKeys;
  jsonParts: ServiceOptions['jsonParts'];
  compositeValues: ServiceOptions['compositeValues'];
}

/**
 * What an entry of a payload writes (spec: Field-type value formats): nothing if its notation is ignored with success.
 * Undefined if it names no writable field.
 */
function readEntry(key: string, raw: unknown, table: Table, notation: Notation): Assignment[] | undefined {
  for (const field of table.fields) {
    if (field.format.computed) continue;
    for (const name of notation.keys === 'slugs' ? [field.slug] : [field.slug, field.fieldId]) {
      const found = key.startsWith(name) && readSuffix(field, key.slice(name.length), raw, notation);
      if (found) return found;
    }
  }
  return undefined;
}

function readSuffix(
  field: Field,
  suffix: string,
  raw: unknown,
  { form, keys, jsonParts, compositeValues }: Notation,
): Assignment[] | undefined {
  const { parts, plainPart, repeats } = field.format;
  if (suffix === '' && !parts) return [{ field, raw }];
  if (suffix === '[]' && form && repeats) return [{ field, raw }];
  if (suffix === '' && plainPart && typeof raw === 'string' && (!form || compositeValues === 'documented'))
    return [{ field, part: plainPart, raw }];
  if (!parts || keys === 'wholeFields') return undefined;
  if (suffix === '' && isObject(raw) && !form && jsonParts !== 'brackets') {
    const known = Object.entries(raw).filter(([part]) => Object.values(parts).includes(part));
    return jsonParts === 'nested' ? known.map(([part, one]) => ({ field, part, raw: one })) : [];
  }
  if (!Object.hasOwn(parts, suffix)) return undefined;
  return form || jsonParts === 'brackets' ? [{ field, part: parts[suffix], raw }] : [];
}

/** Reads every entry. A key that names no writable field is ignored and noted as a violation. */
export function readPayload(
  table: Table,
  { form, entries }: Payload,
  access: Access,
  keys: PayloadKeys = 'slugs',
): PayloadValues {
  const { jsonParts, compositeValues } = access.app.options;
  // Maps: a slug may be `__proto__`.
  const values = new Map<string, unknown>();
  const errors = new Map<string, string[]>();
  for (const [key, value] of entries) {
    const assignments = readEntry(key, value, table, { form, keys, jsonParts, compositeValues });
    if (!assignments) access.report(`payload key "${key}" names no writable field of ${table.name}`);
    for (const { field, part, raw } of assignments ?? []) {
      try {
        const context = createReadContext(field, key, form, access);
        const read = storeText(field, field.format.read(toList(key, raw, form), context, part), access);
        values.set(field.key, part ? { ...(values.get(field.key) as object), [part]: read } : read);
      } catch (error) {
        if (!(error instanceof InvalidValueError)) throw error;
        errors.set(field.slug, [error.message]);
      }
    }
  }
  return { values: Object.fromEntries(values), errors: Object.fromEntries(errors) };
}

/** A text as the service stores it: see `storedText` of its options. */
function storeText({ type }: Field, value: unknown, { app }: Access): unknown {
  const { storedText } = app.options;
  if (typeof value !== 'string' || storedText.length === 0) return value;
  const isText = /^(Text|Long Text|Email|Name|Phone)$/.test(type);
  if (!isText) return value;
  const trimmed = storedText.includes('trimmed') ? value.trim().replace(/\s+/g, ' ') : value;
  const composed = storedText.includes('composed') ? trimmed.normalize('NFC') : trimmed;
  if (storedText.includes('lowerEmails') && type === 'Email') return composed.toLowerCase();
  return storedText.includes('upperCase') && type !== 'Email' ? composed.toUpperCase() : composed;
}

/** `<slug>[]` that is sent once is a list of one. */
const toList = (key: string, raw: unknown, form: boolean) =>
  form && key.endsWith('[]') && !Array.isArray(raw) ? [raw] : raw;

function createReadContext(field: Field, key: string, form: boolean, { app, report }: Access): ReadContext {
  return {
    form,
    options: field.options,
    hasTarget: (id) => app.findTable(field.to ?? '')?.records.has(id) ?? false,
    keepsBlankChoices: app.options.emptyChoices === 'met',
    readsBlankNumber: app.options.blankNumber === '',
    dropsUnknownRecords: app.options.unknownConnection === 'dropped',
    storeFile: (file: FilePart) => app.files.store(file),
    reportWrongType: (expected) => report(`payload key "${key}" (${field.type}) is not ${expected}`),
  };
}
