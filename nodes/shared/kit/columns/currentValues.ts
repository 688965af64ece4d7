import {
  type EncodeContext,
  encodeValue,
  type Field,
  getKind,
  isOmitted,
  type PayloadEntries,
  type PayloadValue,
} from '../../model/fields';
import { formatForError, InputError } from '../../model/input/inputError';
import { getShownValue } from '../../model/records/recordValues';
import type { FieldRef, Table } from '../../model/records/table';
import type { ServiceRecord } from '../../model/responses/records';

/** Remedy that names the setting with which an update does not read the record first. */
export const KEEPS_REMEDY =
  'If the service keeps columns that an update does not name, choose "Service Keeps Them" under Columns Not Given, in the options or in the credential.';

/** Whether a field of a record is empty. */
export const isFieldEmpty = (record: ServiceRecord, ref: FieldRef): boolean =>
  isOmitted(getShownValue(record, ref), ref.field);

const getPayloadKeys = (field: Field): string[] =>
  getKind(field).parts?.map((part) => part.formatKey(field.slug)) ?? [field.slug];

/** Returns the writable fields that a payload does not name, or of which it names only some parts. */
export function listUnsentFields(table: Table, given: PayloadEntries): Field[] {
  const sent = new Set(given.map(([key]) => key));
  return table.writableFields.filter((field) => getPayloadKeys(field).some((key) => !sent.has(key)));
}

const createCannotResendError = (field: Field, value: unknown) =>
  new InputError(
    `"${field.name}" holds ${formatForError(value)}, which cannot be sent back`,
    `Nothing was sent, because the update might empty the column. ${KEEPS_REMEDY}`,
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
 * Whether a value can be sent back. A file cannot. An empty connection may contain records that are not visible,
 * so it is not sent either.
 */
const canResend = (value: unknown, field: Field) =>
  value !== undefined &&
  !getKind(field).holdsFiles &&
  !(getKind(field).mayHideRecords && isOmitted(value, field));

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
