import type { EncodeContext, Field, KindName, PayloadEntries, PayloadValue } from '../fields/field';
import { getKind } from '../fields/kinds';
import { encodeValue, equals, getRawValue, getShownValue, isEmpty, isOmitted } from '../fields/recordValues';
import { type FieldRef, type Table, getValueField } from '../fields/table';
import { InputError, formatForError } from '../input/inputError';
import { isObject } from '../input/values';
import type { ServiceRecord } from '../responses/schemas';

/** Remedy that names the setting with which an update does not read the record first. */
export const KEPT_REMEDY =
  'If the service keeps columns that an update does not name, choose "Kept by the Service" under Columns Not Sent in an Update, in the credential.';

/** Whether a field of a record is empty. */
export const isFieldEmpty = (record: ServiceRecord, ref: FieldRef): boolean =>
  isOmitted(getShownValue(record, ref), ref.field);

const getPayloadKeys = (field: Field): string[] =>
  getKind(field).parts?.map((part) => part.formatKey(field.slug)) ?? [field.slug];

/** Lists the writable fields that a payload does not have, or of which it has only some parts. */
export function listUnsentFields(table: Table, given: PayloadEntries): Field[] {
  const sent = new Set(given.map(([key]) => key));
  return table.writableFields.filter((field) => getPayloadKeys(field).some((key) => !sent.has(key)));
}

const createCannotResendError = (field: Field, value: unknown) =>
  new InputError(
    `"${field.name}" holds ${formatForError(value)}, which cannot be sent back`,
    `Nothing was sent, because the update might empty the column. ${KEPT_REMEDY}`,
  );

const isPlain = (value: unknown) => typeof value === 'string' || typeof value === 'number';

/**
 * Encodes a value that the service returned. A value that is no longer valid, such as a removed choice, is sent
 * back unchanged. A composite is encoded from the parts in the spec only, because the service derives other
 * parts, such as a latitude, from them.
 * @throws InputError when the value cannot be sent back
 */
function encodeAsRead(value: unknown, field: Field, context: EncodeContext): PayloadEntries {
  const kind = getKind(field);
  const read = kind.read(value, field);
  if (read === undefined) throw createCannotResendError(field, value);
  try {
    return encodeValue(read, field, context);
  } catch {
    if (!kind.parts && [read].flat().every(isPlain)) return [[field.slug, read as PayloadValue]];
  }
  throw createCannotResendError(field, value);
}

/**
 * Kinds whose empty value is sent back: left out, a number may become 0 or null, and the spec names no value for a type
 * that it does not list (Record: "Value when a field is omitted").
 * Open point: `otherTypes`.
 */
const SENT_WHEN_EMPTY: ReadonlySet<KindName> = new Set<KindName>(['number', 'unnamed']);

/**
 * Whether a value is sent back. A file cannot be. An empty value is the same whether it is kept or emptied, so it is left
 * out: otherwise a record whose required column is empty could not be updated. This includes an empty connection, which
 * may contain records that are not visible. A value in a form that the kind cannot read is not empty: it is refused.
 */
const canResend = (value: unknown, field: Field) =>
  value !== undefined &&
  !getKind(field).holdsFiles &&
  (SENT_WHEN_EMPTY.has(field.kind) || !isEmpty(value, field));

/**
 * Encodes the values of `record` as payload entries, without the keys in `given`.
 * @throws InputError when a value cannot be sent back
 */
export function encodeUnsentValues(
  table: Table,
  record: ServiceRecord,
  given: PayloadEntries,
  context: EncodeContext,
): PayloadEntries {
  const sent = new Set(given.map(([key]) => key));
  return listUnsentFields(table, given).flatMap((field) => {
    const value = getShownValue(record, { table, field });
    return canResend(value, field)
      ? encodeAsRead(value, field, context).filter(([key]) => !sent.has(key))
      : [];
  });
}

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
    ([key, value]) => !hasValue(record, table.resolvePayloadField(key, 'Columns'), value, seesAll),
  );

/** Whether a record already has exactly the values that `entries` would write. */
export const isUnchanged = (...change: Parameters<typeof listChangedEntries>): boolean =>
  listChangedEntries(...change).length === 0;
