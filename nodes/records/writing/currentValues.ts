/**
 * The values of a record beside those of an item: which of them differ, which are not sent, and how a value that was
 * read is sent back. `listChangedEntries` lists those that differ. `encodeUnsentValues` and `encodeAsRead` encode
 * values of the record that are sent back.
 */
import { trimEnd, trimStart, uniq } from 'lodash';
import { formatForError, InputError, isBlank, isObject, type ServiceRecord } from '../../service';
import type { EncodeContext, Field, KindName, PayloadEntries, PayloadValue } from '../fields/field';
import { getKind } from '../fields/kinds';
import { isSimilarText } from '../fields/plainKinds';
import {
  type RecordValues,
  encodeValue,
  equals,
  getRawValue,
  getShownValue,
  isEmpty,
  isOmitted,
} from '../fields/recordValues';
import { type FieldRef, type Table, getValueField } from '../fields/table';
import { describeWritten } from '../reading/writtenRecord';

/** The remedy for a service that keeps what an update does not name: the setting with which such values are not sent. */
export const SEND_CHANGED_REMEDY =
  'If the service keeps the fields that an update does not name, choose Only Changed Fields under An Update Sends, in the credential.';

/** Reads the value of a field or part. A part that is missing in a composite is empty. */
function readCurrentValue(record: ServiceRecord, ref: FieldRef): unknown {
  const value = getRawValue(record, ref);
  if (value !== undefined || !ref.part) return value;
  return isObject(getKind(ref.field).read(getShownValue(record, ref), ref.field)) ? '' : undefined;
}

/** Whether a record has a value already. False for a file, and for a value that the record does not show. */
function hasValue(record: ServiceRecord, ref: FieldRef, value: PayloadValue, seesAll: boolean): boolean {
  if (getKind(ref.field).holdsFiles || (!seesAll && ref.field.connection?.many)) return false;
  const currentValue = readCurrentValue(record, ref);
  return currentValue !== undefined && equals(currentValue, value, getValueField(ref));
}

/**
 * Lists the entries whose values differ from those of a record. 0 and empty differ.
 * @param seesAll whether the record shows all connections: none is hidden from the user
 */
export const listChangedEntries = (
  table: Table,
  record: ServiceRecord,
  entries: PayloadEntries,
  seesAll: boolean,
): PayloadEntries =>
  entries.filter(
    ([key, value]) => !hasValue(record, table.resolvePayloadField(key, 'Fields'), value, seesAll),
  );

/** Whether two values are equal but for what a service may change when it stores a text. */
const isSimilarValue = (one: unknown, other: unknown): boolean =>
  isPlain(one) && isPlain(other) && isSimilarText(String(one), String(other));

/**
 * Whether a record shows that a change was carried out: it has the values, in the form in which the service stores them. Of
 * a file or a password it shows only that there is one.
 * @param before the record before the change
 */
export const showsChange = (
  table: Table,
  { before, after }: Record<'before' | 'after', ServiceRecord>,
  entries: PayloadEntries,
): boolean =>
  entries.every(([key, value]) => {
    const ref = table.resolvePayloadField(key, 'Fields');
    const { holdsFiles, isMasked } = getKind(ref.field);
    if (holdsFiles || isMasked) return isFilled(after, ref) === isFilled({ [ref.field.slug]: value }, ref);
    const stored = readCurrentValue(after, ref);
    if (hasValue(after, ref, value, true)) return true;
    return isSimilarValue(stored, value) && stored !== readCurrentValue(before, ref);
  });

/** Whether a record already has exactly the values that `entries` would write. */
export const isUnchanged = (...change: Parameters<typeof listChangedEntries>): boolean =>
  listChangedEntries(...change).length === 0;

/** Whether a record shows a value that is not the one which the service stores for an omitted field (spec: Record). */
export function isFilled(record: RecordValues, ref: FieldRef): boolean {
  const value = getShownValue(record, ref);
  return value !== undefined && !isOmitted(value, ref.field);
}

/** Lists the fields that a payload names, whole or in part. */
const listSentFields = (table: Table, entries: PayloadEntries): Field[] =>
  uniq(entries.map(([key]) => table.resolvePayloadField(key, 'Fields').field));

/** Lists the writable fields that a payload does not name. */
export function listUnsentFields(table: Table, entries: PayloadEntries): Field[] {
  const sent = new Set(listSentFields(table, entries));
  return table.writableFields.filter((field) => !sent.has(field));
}

/**
 * Completes composites of which a payload has some parts by the other parts of the record: a Name, an Address or a Calendar
 * is sent with all its documented parts, because nothing says what becomes of parts that are left out.
 * @throws InputError if a part that the record has cannot be sent back
 */
export function completeComposites(
  table: Table,
  record: ServiceRecord,
  entries: PayloadEntries,
  context: EncodeContext,
): PayloadEntries {
  return listSentFields(table, entries).flatMap((field): PayloadEntries => {
    const given = entries
      .map(([key, value]) => ({ ref: table.resolvePayloadField(key, 'Fields'), key, value }))
      .filter(({ ref }) => ref.field === field);
    const { parts = [], read } = getKind(field);
    const shown = getShownValue(record, { table, field });
    const isWhole = parts.every((part) => given.some(({ ref }) => ref.part?.payload === part.payload));
    if (isWhole || shown === undefined) return given.map(({ key, value }) => [key, value]);
    const known = read(shown, field);
    const values = {
      ...Object.fromEntries(parts.filter(({ options }) => !options).map(({ payload }) => [payload, ''])),
      ...(isObject(known) && known),
      ...Object.fromEntries(given.map(({ ref, value }) => [ref.part?.payload, value])),
    };
    return encodeValue(values, field, context);
  });
}

const isPlain = (value: unknown) => typeof value === 'string' || typeof value === 'number';

/** Lists the texts of a value that say something: filled texts and numbers, and those in its lists and objects. */
function listTexts(value: unknown): string[] {
  if (isBlank(value)) return [];
  if (typeof value === 'boolean') return [String(Number(value))];
  return typeof value === 'object' ? Object.values(value).flatMap(listTexts) : [String(value)];
}

/** Kinds of types that are not known. What such a value means is not known either, so it is not sent back. */
export const UNKNOWN_KINDS: ReadonlySet<KindName> = new Set<KindName>(['unnamed']);

/** A decimal number without zeros that mean nothing. Other text is unchanged. */
function normalizeNumber(text: string): string {
  const [, sign, integer, fraction = ''] = /^([+-]?)(\d+)(?:\.(\d*))?$/.exec(text.trim()) ?? [];
  if (integer === undefined) return text;
  const [whole, decimals] = [trimStart(integer, '0') || '0', trimEnd(fraction, '0')];
  return `${sign === '-' ? '-' : ''}${whole}${decimals && `.${decimals}`}`;
}

/** Whether a value that was encoded has all that the value that was read had: each digit, part, time and entry. */
function comesBack(value: unknown, entries: PayloadEntries, field: Field): boolean {
  const { hasDisplayValues, read } = getKind(field);
  const shown = listTexts(hasDisplayValues ? read(value, field) : value);
  const sent = new Set(entries.flatMap(([, one]) => listTexts(one)).map(normalizeNumber));
  return shown.every((text) => sent.has(normalizeNumber(text)));
}

/**
 * Encodes a value that the service returned, so that it can be sent back. A value that is no longer valid, such as a
 * removed choice, is sent back as it is.
 * @returns undefined for a value that would not come back as it was: a file, a mask in place of a password, a number with
 *   more digits than a number can hold, a value with parts that no payload has
 */
export function encodeAsRead(
  value: unknown,
  field: Field,
  context: EncodeContext,
): PayloadEntries | undefined {
  const kind = getKind(field);
  const canSendBack = UNKNOWN_KINDS.has(field.kind) || kind.canSendBack?.(value) !== false;
  const read = canSendBack ? kind.read(value, field) : undefined;
  if (read === undefined) return undefined;
  let entries: PayloadEntries;
  try {
    entries = encodeValue(read, field, context);
  } catch {
    if (kind.parts || ![read].flat().every(isPlain)) return undefined;
    entries = [[field.slug, read as PayloadValue]];
  }
  return comesBack(value, entries, field) ? entries : undefined;
}

/** Whether a value has to be sent so that it stays: an empty one is the same whether it is kept or emptied. */
export const mustBeSent = (value: unknown, field: Field): boolean =>
  value !== undefined && (getKind(field).isSentWhenEmpty || !isEmpty(value, field));

/**
 * Encodes the values of a record that a payload does not name, for an update that sends all of them.
 * @param seesAll whether the record shows all values: none is hidden from the user
 * @throws InputError for a value that cannot be sent back, or that the user may not see whole
 */
export function encodeUnsentValues(
  table: Table,
  record: ServiceRecord,
  given: PayloadEntries,
  { seesAll, ...context }: EncodeContext & { seesAll: boolean },
): PayloadEntries {
  return listUnsentFields(table, given).flatMap((field) => {
    const value = getShownValue(record, { table, field });
    if (!seesAll && (field.connection?.many || value === undefined)) throw createHiddenValueError(field);
    if (!mustBeSent(value, field)) return [];
    const entries = UNKNOWN_KINDS.has(field.kind) ? undefined : encodeAsRead(value, field, context);
    if (entries) return entries;
    throw new InputError(
      `"${field.name}" holds ${formatForError(value)}, which cannot be sent back as it is`,
      `Nothing was sent, because the update might empty the field. Give the field a value in the item. ${SEND_CHANGED_REMEDY}`,
    );
  });
}

const createHiddenValueError = ({ name }: Field) =>
  new InputError(
    `"${name}" may hold values that this user cannot see`,
    `Nothing was sent, because an update sends all values of the record, and these would be lost. ${SEND_CHANGED_REMEDY} Or add the field with its whole value.`,
  );

/** Describes an update that sends the values to a record that was read. The service may calculate others anew. */
export function describeChange(table: Table, before: ServiceRecord, entries: PayloadEntries) {
  const different = listChangedEntries(table, before, entries, true);
  const changed = uniq(different.map(([key]) => table.resolvePayloadField(key, 'Fields').field.slug));
  const record = describeWritten({ table, id: before.id, entries, before });
  return { action: changed.length > 0 ? 'updated' : 'unchanged', record, before, changed } as const;
}
