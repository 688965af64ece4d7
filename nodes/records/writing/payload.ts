/** The values of creates and updates, and the bodies of their requests. */
import { isEqual, uniq } from 'lodash';
import { asThrown, FormBody, type FormPart, InputError, isBlank } from '../../service';
import { isSentWithTimes } from '../fields/calendar';
import {
  type EncodeContext,
  type Field,
  type PayloadEntries,
  type PayloadValue,
  RefusedValue,
} from '../fields/field';
import { getKind } from '../fields/kinds';
import { type RecordValues, encodeValue, getFieldValue } from '../fields/recordValues';
import { type FieldRef, type Table, formatPayloadKey, toValueField } from '../fields/table';

/**
 * Keys that do not mean a field in a POST to `/records`. Some of them turn the POST into a request for a list (spec:
 * Records).
 */
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
 * Encodes values for a create or update. The result has slugs, or parts such as `name[first_name]`, as keys. `undefined`
 * is left out; null and '' clear the field.
 * @param context `comparesFirst`: whether invalid values become a `RefusedValue`. The caller then compares them with the
 *   record
 * @param resolve finds a field by its key. By default, finds only fields that can be written
 * @throws InputError for a key that the table does not have, or an invalid value
 */
export function encodeRecordValues(
  values: Record<string, unknown>,
  table: Table,
  { comparesFirst = false, ...context }: EncodeContext & { comparesFirst?: boolean },
  resolve = (key: string): FieldRef => table.requireWritableRef(key, 'Fields'),
): PayloadEntries {
  return Object.entries(values).flatMap(([key, value]): PayloadEntries => {
    if (value === undefined) return [];
    const ref = resolve(key);
    try {
      const entries = encodeValue(value, toValueField(ref), context);
      const [first] = entries;
      const isConverted = first?.length === 2 && entries.length === 1 && !isEqual(first[1], value);
      return isConverted ? [[first[0], first[1], value]] : entries;
    } catch (error) {
      if (!comparesFirst || !(error instanceof InputError)) throw asThrown(error);
      return [[formatPayloadKey(ref), new RefusedValue(value, error)]];
    }
  });
}

/** Checks that each field accepts its value. @throws InputError for a value that was refused (`RefusedValue`) */
export function ensureFieldsAcceptValues(entries: PayloadEntries): void {
  for (const [, value] of entries) if (value instanceof RefusedValue) throw value.error;
}

interface PayloadTarget {
  table: Table;
  /**
   * `save`: a create or update through a component. It has no reserved keys, such as `page` or `connected_to` (spec:
   * Layouts, pages and components).
   */
  purpose: 'create' | 'update' | 'save';
  /** The record before an update. It shows for each range whether its values have times. */
  record?: RecordValues;
  /** The ID of the record that a `save` updates. */
  id?: string;
  /** `connected_to`: the parent of a new record (spec: Linked record creation). */
  link?: Record<string, unknown>;
}

interface FieldEntry {
  ref: FieldRef;
  key: string;
  value: PayloadValue;
}

/**
 * Whether a value can only be sent in a form, because it has no reliable notation in JSON: a file, a part of a composite,
 * or a Link.
 */
const needsForm = ({ ref: { field, part }, value }: FieldEntry): boolean => {
  const { holdsFiles, formPart } = getKind(field);
  return part !== undefined || holdsFiles !== undefined || (formPart !== undefined && !isBlank(value));
};

/**
 * Formats a value for a cell of an import file. A Calendar is formatted as days, because it is not known whether it has
 * times.
 */
export const formatImportCell = ({ field, part }: FieldRef, value: PayloadValue): PayloadValue =>
  part?.formatInForm?.(field.slug, value, isSentWithTimes(getKind(field), undefined, false))[1] ?? value;

/**
 * Converts values to the parts of a multipart request (spec: value table, form-data). A list becomes several parts with the
 * name `slug[]`, and null an empty text. The city of an Address has the name `slug[city]`, and a Link the name `slug[link]`
 * (evidence 14).
 */
export function toFormParts(entries: PayloadEntries, target: PayloadTarget): FormPart[] {
  const { table, record = {} } = target;
  const all = toFieldEntries(entries, table);
  const isAllDay = (field: Field) =>
    all.some(({ ref, value }) => ref.field === field && ref.part?.payload === 'all_day' && !isBlank(value));
  const hasTimes = (field: Field) =>
    isSentWithTimes(getKind(field), getFieldValue(record, { table, field }), isAllDay(field));
  return all.flatMap(({ ref: { field, part }, key, value }): FormPart[] => {
    const { holdsFiles, hasDisplayValues, formPart } = getKind(field);
    const [name, sent] = part?.formatInForm
      ? part.formatInForm(field.slug, value, hasTimes(field))
      : [formPart ? `${key}[${formPart}]` : key, value];
    if (!Array.isArray(sent)) return [[name, sent === null ? '' : String(sent)]];
    // An empty list is sent as an empty text. For choices, it is sent as a list of one blank choice (evidence 11).
    if (sent.length === 0) return [[hasDisplayValues || holdsFiles ? name : `${name}[]`, '']];
    const isListed = holdsFiles !== 'one';
    return sent.map((one) => [isListed ? `${name}[]` : name, one]);
  });
}

const toFieldEntries = (entries: PayloadEntries, table: Table): FieldEntry[] =>
  entries.map(([key, value]) => ({ ref: table.requireWritableRef(key, 'Fields'), key, value }));

export const listEntryFields = (table: Table, entries: PayloadEntries): Field[] =>
  uniq(toFieldEntries(entries, table).map(({ ref }) => ref.field));

export const listEntrySlugs = (table: Table, entries: PayloadEntries): string[] =>
  listEntryFields(table, entries).map(({ slug }) => slug);

/**
 * Checks that no column is named `connected_to`: in a create, the service would use its value as the link to a parent.
 * @throws InputError for a value of such a column
 */
export function ensureNoLinkKey(entries: PayloadEntries): void {
  if (!entries.some(([key]) => /^connected_to(\[|$)/.test(key))) return;
  throw new InputError(
    'A new record cannot take the field "connected_to": the service reads this key as the link to a parent',
    'Nothing was sent. Leave the field out, and write it with Update afterwards, or change its slug in the service.',
  );
}

/**
 * Creates the body of a create or update. It is JSON, or a form if JSON has no reliable notation for a value (spec:
 * General rules, 2).
 * - Files, Names, Addresses, Calendars and Links need a form. No known client puts `name[first_name]` or `term__start`
 *   into JSON. A service that ignores these keys would return success and store nothing (evidence 14).
 * - A create needs a form if the service would read its JSON as a request for a list. It also needs a form if it has no
 *   values, because n8n sends no empty JSON object.
 * - Blank parts of a composite are left out of a create, because a new record is blank.
 * @example
 * createRecordBody([['price', 5]], { table, purpose: 'update' }); // { price: 5 }
 * createRecordBody([['name[first_name]', 'Ada']], { table, purpose: 'create' }); // a FormBody
 * @throws InputError as `ensureNoLinkKey` does, and for a value that its field does not accept
 */
export function createRecordBody(
  given: PayloadEntries,
  target: PayloadTarget,
): Record<string, unknown> | FormBody {
  const { table, purpose, id, link } = target;
  ensureFieldsAcceptValues(given);
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
