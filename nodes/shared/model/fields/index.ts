import { address, calendar, name } from './composite';
import { choice, choices } from './choice';
import type { Codec, EncodeContext, Entries } from './codec';
import { connection } from './connection';
import type { Field } from './field';
import { file } from './file';
import type { FieldKind } from './kind';
import { date, dateTime, time } from './moment';
import { checkbox, number } from './number';
import { email, text } from './text';

/** The one table of codecs: a new field type is a kind, a codec and a line here. */
const CODECS: Record<FieldKind, Codec> = {
  text,
  email,
  number,
  checkbox,
  date,
  time,
  dateTime,
  calendar,
  name,
  address,
  choice,
  choices,
  connection,
  user: connection,
  file,
};

export const KINDS = Object.keys(CODECS) as FieldKind[];

export const codecOf = (field: Field): Codec => CODECS[field.kind];

/** Payload entries of one field value. @throws InputError naming field, type, value and an example. */
export const encodeValue = (value: unknown, field: Field, context: EncodeContext): Entries =>
  codecOf(field).encode(value, field, context);

/**
 * The configured default, which is text whatever the type, as it would be sent; nothing where it does not fit
 * ("today" for a date, say).
 */
export function defaultEntries(field: Field): Entries {
  if (field.defaultValue === '') return [];
  try {
    return encodeValue(field.defaultValue, field, { timeZone: 'utc' });
  } catch {
    return [];
  }
}

export * from './asWritten';
export * from './codec';
export * from './field';
export * from './kind';
export {
  ADDRESS_PARTS,
  CALENDAR_PARTS,
  NAME_PARTS,
  partFilterId,
  partKey,
  partsOf,
  type Part,
} from './composite';
export { DATE, DATE_TIME, isDated, isWritten, parseMoment, TIME } from './moment';
export { isChecked } from './number';
