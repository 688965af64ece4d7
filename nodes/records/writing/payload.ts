/**
 * The values of creates and updates, and the bodies of their requests. `encodeRecordValues` encodes values by the kinds of
 * their fields. `createRecordBody` converts them to JSON or a form.
 */
import { isEqual, uniq } from 'lodash';
import { asThrown, FormBody, type FormPart, InputError, isBlank } from '../../service';
import { sendsTimes } from '../fields/calendar';
import {
  type EncodeContext,
  type Field,
  type PayloadEntries,
  type PayloadValue,
  RefusedValue,
} from '../fields/field';
import { getKind } from '../fields/kinds';
import { type RecordValues, encodeValue, getShownValue } from '../fields/recordValues';
import { type FieldRef, type Table, formatPayloadKey, getValueField } from '../fields/table';

/** Keys that turn a POST to `/records` into a list request or have another meaning there (spec: Records). */
const LIST_REQUEST_KEYS = new Set([
  'filters',
  'page',
  'limit',
  'order',
  'order_by',
  'sort_by',
  'columns',
  'fields',
  'display_names',
  'showequationlog',
]);

/**
 * Encodes values by slug or part (`name[first_name]`) for a create or update. `undefined` is left out; null and '' clear
 * the field.
 * @param context `comparesFirst`: whether the caller compares the values with the record before it writes. An invalid value is
 *   then returned as a `RefusedValue`: it is no error if the record already holds it
 * @param resolve finds a field by its key; by default only a field that can be written
 * @throws InputError for a key that the table does not have, or an invalid value
 */
export function encodeRecordValues(
  values: Record<string, unknown>,
  table: Table,
  { comparesFirst = false, ...context }: EncodeContext & { comparesFirst?: boolean },
  resolve = (key: string): FieldRef => table.resolvePayloadField(key, 'Fields'),
): PayloadEntries {
  return Object.entries(values).flatMap(([key, value]): PayloadEntries => {
    if (value === undefined) return [];
    const ref = resolve(key);
    try {
      const entries = encodeValue(value, getValueField(ref), context);
      const [first] = entries;
      const isConverted = first?.length === 2 && entries.length === 1 && !isEqual(first[1], value);
      return isConverted ? [[first[0], first[1], value]] : entries;
    } catch (error) {
      if (!comparesFirst || !(error instanceof InputError)) throw asThrown(error);
      return [[formatPayloadKey(ref), new RefusedValue(value, error)]];
    }
  });
}

/** @throws InputError for a value that its field does not take */
export function ensureWritable(entries: PayloadEntries): void {
  for (const [, value] of entries) if (value instanceof RefusedValue) throw value.error;
}

interface PayloadTarget {
  table: Table;
  /** `save`: through a component, where no key means a list or a link (spec: Layouts, pages and components). */
  purpose: 'create' | 'update' | 'save';
  /** The record before an update. Its ranges show whether they have times. */
  record?: RecordValues;
  /** The ID of the record that a `save` updates. */
  id?: string;
  /** `connected_to`: the parent that a new record is linked to (spec: Linked record creation). */
  link?: Record<string, unknown>;
}

interface FieldEntry {
  ref: FieldRef;
  key: string;
  value: PayloadValue;
}

/** Whether an entry has no reliable notation in JSON: a file, a part of a composite, or a Link. */
const needsForm = ({ ref: { field, part }, value }: FieldEntry): boolean => {
  const { holdsFiles, formPart } = getKind(field);
  return part !== undefined || holdsFiles !== undefined || (formPart !== undefined && !isBlank(value));
};

/** Formats a value for a cell of an import. No record shows whether a Calendar has times, so its ends are days. */
export const formatPartValue = ({ field, part }: FieldRef, value: PayloadValue): PayloadValue =>
  part?.formatInForm?.(field.slug, value, sendsTimes(getKind(field), undefined, false))[1] ?? value;

/**
 * Converts entries to the parts of a form: a list to repeated `slug[]`, null to an empty text, a part to
 * `slug[city]` (spec: form-data forms of the value table), and a Link to `slug[link]` (evidence 14).
 */
export function toFormParts(entries: PayloadEntries, target: PayloadTarget): FormPart[] {
  const { table, record = {} } = target;
  const all = toFieldEntries(entries, table);
  const isAllDay = (field: Field) =>
    all.some(({ ref, value }) => ref.field === field && ref.part?.payload === 'all_day' && !isBlank(value));
  const hasTimes = (field: Field) =>
    sendsTimes(getKind(field), getShownValue(record, { table, field }), isAllDay(field));
  return all.flatMap(({ ref: { field, part }, key, value }): FormPart[] => {
    const { holdsFiles, hasDisplayValues, formPart } = getKind(field);
    const [name, sent] = part?.formatInForm
      ? part.formatInForm(field.slug, value, hasTimes(field))
      : [formPart ? `${key}[${formPart}]` : key, value];
    if (!Array.isArray(sent)) return [[name, sent === null ? '' : String(sent)]];
    // For a connection and for files, an empty list is an empty text. For choices, it is one blank choice (evidence 11).
    if (sent.length === 0) return [[hasDisplayValues || holdsFiles ? name : `${name}[]`, '']];
    const isListed = holdsFiles !== 'one';
    return sent.map((one) => [isListed ? `${name}[]` : name, one]);
  });
}

/** Finds the field of each entry. @throws InputError for a key that is no field or part of the table */
const toFieldEntries = (entries: PayloadEntries, table: Table): FieldEntry[] =>
  entries.map(([key, value]) => ({ ref: table.resolvePayloadField(key, 'Fields'), key, value }));

/** Lists the fields of entries, each once. An entry may be for a part of its field. */
export const listFields = (table: Table, entries: PayloadEntries): Field[] =>
  uniq(toFieldEntries(entries, table).map(({ ref }) => ref.field));

export const listSlugs = (table: Table, entries: PayloadEntries): string[] =>
  listFields(table, entries).map(({ slug }) => slug);

/**
 * Checks that a new record has no value for a column `connected_to`.
 * @throws InputError if it has one: the service would use the value as the link to a parent, and not store it
 */
export function ensureNoLinkKey(entries: PayloadEntries): void {
  if (!entries.some(([key]) => /^connected_to(\[|$)/.test(key))) return;
  throw new InputError(
    'A new record cannot take the field "connected_to": the service reads this key as the link to a parent',
    'Nothing was sent. Leave the field out, and write it with Update afterwards, or change its slug in the service.',
  );
}

/**
 * Creates the body of a create or an update: JSON, or a form where JSON has no reliable notation (spec: General rules, 2).
 * - A form for files, for Names, Addresses, Calendars and Links: no known client puts `name[first_name]` or `term__start`
 *   into JSON, and a service that ignores them answers with success and stores nothing (evidence 14).
 * - A form for a create that a service would read as a request for a list, and for a create without values, because n8n
 *   sends no empty JSON object. A form never requests a list.
 * - A new record is blank, so blank parts are left out of a create.
 * @example
 * createRecordBody([['price', 5]], { table, purpose: 'update' }); // { price: 5 }
 * createRecordBody([['name[first_name]', 'Ada']], { table, purpose: 'create' }); // a FormBody
 * @throws InputError as `ensureNoLinkKey` does, and for a value that its field does not take
 */
export function createRecordBody(
  given: PayloadEntries,
  target: PayloadTarget,
): Record<string, unknown> | FormBody {
  const { table, purpose, id, link } = target;
  ensureWritable(given);
  const ids = id === undefined ? {} : { id };
  const isCreate = purpose === 'create';
  if (isCreate) ensureNoLinkKey(given);
  const isNeeded = ({ ref, value }: FieldEntry) => !isCreate || !ref.part || !isBlank(value);
  const entries = toFieldEntries(given, table).filter(isNeeded);
  const isReadAsList = isCreate && entries.some(({ key }) => LIST_REQUEST_KEYS.has(key));
  const values = entries.map(({ key, value }): PayloadEntries[number] => [key, value]);
  if (entries.length > 0 && !isReadAsList && !entries.some(needsForm))
    return { ...ids, ...Object.fromEntries(values), ...(link && { connected_to: link }) };
  const links = Object.entries(link ?? {}).map(([key, one]): [string, string] => [
    `connected_to[${key}]`,
    String(one),
  ]);
  return new FormBody([...Object.entries(ids), ...toFormParts(values, target), ...links]);
}
