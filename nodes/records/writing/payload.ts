/** The values of creates and updates, and the bodies of their requests. */
import { isEqual, uniq } from 'lodash';
import { asThrown, FormBody, type FormPart, InputError, isBlank } from '../../service';
import { isRangeWithTimes } from '../fields/calendar';
import {
  type EncodeContext,
  type Field,
  type PayloadEntries,
  type PayloadValue,
  RefusedValue,
} from '../fields/field';
import { getKind } from '../fields/kinds';
import { type RecordValues, encodeValue, getFieldValue } from '../fields/recordValues';
import { type FieldRef, type Table, formatPayloadKey, toRefField } from '../fields/table';

/** In a POST to `/records`, these keys are no fields: some of them make it a request for a list (spec: Records). */
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
 * Encodes values for a create or update. The keys are slugs, or parts such as `name[first_name]`. `undefined` is left
 * out; null and '' clear the field.
 * @param context `allowsRefused`: whether an invalid value becomes a `RefusedValue`, to compare it with the record
 * @param resolve finds a field by its key. By default, finds only fields that can be written
 * @throws InputError for a key that the table does not have, or an invalid value
 */
export function encodeRecordValues(
  values: Record<string, unknown>,
  table: Table,
  { allowsRefused = false, ...context }: EncodeContext & { allowsRefused?: boolean },
  resolve = (key: string): FieldRef => table.requireWritableRef(key, 'Fields'),
): PayloadEntries {
  return Object.entries(values).flatMap(([key, value]): PayloadEntries => {
    if (value === undefined) return [];
    const ref = resolve(key);
    try {
      const entries = encodeValue(value, toRefField(ref), context);
      const [first] = entries;
      const isConverted = first?.length === 2 && entries.length === 1 && !isEqual(first[1], value);
      return isConverted ? [[first[0], first[1], value]] : entries;
    } catch (error) {
      if (!allowsRefused || !(error instanceof InputError)) throw asThrown(error);
      return [[formatPayloadKey(ref), new RefusedValue(value, error)]];
    }
  });
}

/** @throws InputError for a value that was refused (`RefusedValue`) */
export function ensureFieldsAcceptValues(entries: PayloadEntries): void {
  for (const [, value] of entries) if (value instanceof RefusedValue) throw value.error;
}

interface PayloadTarget {
  table: Table;
  /** Whether the record is created by `/records`, which reserves keys such as `page` (spec: Records). */
  isCreate?: boolean;
  /** The record before an update. It shows for each range whether its values have times. */
  record?: RecordValues;
  /** The ID of the record that is updated through a component. */
  id?: string;
  /** `connected_to`: the parent of a new record (spec: Linked record creation). */
  link?: Record<string, unknown>;
}

interface FieldEntry {
  ref: FieldRef;
  key: string;
  value: PayloadValue;
}

/** A file, a part of a composite and a Link have no reliable notation in JSON. */
const needsMultipart = ({ ref: { field, part }, value }: FieldEntry): boolean => {
  const { holdsFiles, formPart } = getKind(field);
  return part !== undefined || holdsFiles !== undefined || (formPart !== undefined && !isBlank(value));
};

/** A Calendar is formatted as days, because no record shows whether it has times. */
export const formatImportCell = ({ field, part }: FieldRef, value: PayloadValue): PayloadValue =>
  part?.formatInForm?.(field.slug, value, isRangeWithTimes(getKind(field), undefined, false))[1] ?? value;

/**
 * Creates the parts of a multipart request (spec: value table, form-data). A list becomes several parts named `slug[]`,
 * and null an empty text. A Link has the name `slug[link]` (evidence 14).
 */
export function toFormParts(entries: PayloadEntries, target: PayloadTarget): FormPart[] {
  const { table, record = {} } = target;
  const all = toFieldEntries(entries, table);
  const isAllDay = (field: Field) =>
    all.some(({ ref, value }) => ref.field === field && ref.part?.payload === 'all_day' && !isBlank(value));
  const hasTimes = (field: Field) =>
    isRangeWithTimes(getKind(field), getFieldValue(record, { table, field }), isAllDay(field));
  return all.flatMap(({ ref: { field, part }, key, value }): FormPart[] => {
    const { holdsFiles, hasDisplayValues, formPart } = getKind(field);
    const [name, sent] = part?.formatInForm
      ? part.formatInForm(field.slug, value, hasTimes(field))
      : [formPart ? `${key}[${formPart}]` : key, value];
    if (!Array.isArray(sent)) return [[name, sent === null ? '' : String(sent)]];
    // An empty list of connections or files is sent as an empty text, and no choices as one blank choice (evidence 11).
    if (sent.length === 0) return [[hasDisplayValues || holdsFiles ? name : `${name}[]`, '']];
    const isListed = holdsFiles !== 'one';
    return sent.map((one) => [isListed ? `${name}[]` : name, one]);
  });
}

export const toFieldEntries = (entries: PayloadEntries, table: Table): FieldEntry[] =>
  entries.map(([key, value]) => ({ ref: table.requireWritableRef(key, 'Fields'), key, value }));

export const listEntryFields = (table: Table, entries: PayloadEntries): Field[] =>
  uniq(toFieldEntries(entries, table).map(({ ref }) => ref.field));

export const listEntrySlugs = (table: Table, entries: PayloadEntries): string[] =>
  listEntryFields(table, entries).map(({ slug }) => slug);

/** @throws InputError for a field `connected_to`: a create would use its value as the link to a parent */
export function refuseConnectedTo(entries: PayloadEntries): void {
  if (!entries.some(([key]) => /^connected_to(\[|$)/.test(key))) return;
  throw new InputError(
    'A new record cannot take the field "connected_to": the service reads this key as the link to a parent',
    'Nothing was sent. Leave the field out, and write it with Update afterwards, or change its slug in the service.',
  );
}

/**
 * Creates JSON, or a form if JSON has no reliable notation for a value (spec: General rules, 2).
 * - Files, Names, Addresses, Calendars and Links need a form. No known client puts `name[first_name]` or `term__start`
 *   into JSON. A service that ignores these keys would return success and store nothing (evidence 14).
 * - A create needs a form if its JSON would be a request for a list, or empty: n8n sends no empty JSON object.
 * - Blank parts of a composite are left out of a create, because a new record is blank.
 * @throws InputError as `refuseConnectedTo` does, and for a value that its field does not accept
 */
export function createRecordBody(
  given: PayloadEntries,
  target: PayloadTarget,
): Record<string, unknown> | FormBody {
  const { table, isCreate = false, id, link } = target;
  ensureFieldsAcceptValues(given);
  const ids = id === undefined ? {} : { id };
  if (isCreate) refuseConnectedTo(given);
  const isNeeded = ({ ref, value }: FieldEntry) => !isCreate || !ref.part || !isBlank(value);
  const entries = toFieldEntries(given, table).filter(isNeeded);
  const isReadAsList = isCreate && entries.some(({ key }) => LIST_REQUEST_KEYS.has(key));
  const values = entries.map(({ key, value }): PayloadEntries[number] => [key, value]);
  if (entries.length > 0 && !isReadAsList && !entries.some(needsMultipart))
    return { ...ids, ...Object.fromEntries(values), ...(link && { connected_to: link }) };
  const links = Object.entries(link ?? {}).map(([key, one]): [string, string] => [
    `connected_to[${key}]`,
    String(one),
  ]);
  return new FormBody([...Object.entries(ids), ...toFormParts(values, target), ...links]);
}
