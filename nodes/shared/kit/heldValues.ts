import { omitBy } from 'lodash';
import {
  encodeValue,
  isBlank,
  type EncodeContext,
  type Entries,
  type Field,
  partsOf,
  type WireValue,
} from '../model/fields';
import { InputError, shown } from '../model/inputError';
import type { ServiceRecord } from '../model/responses';
import type { Table } from '../model/table';

/** Empty in any of the forms that the service has for it, composites part by part. */
const isEmptyValue = (value: unknown): boolean =>
  isBlank(value) ||
  value === 0 ||
  (typeof value === 'object' && Object.values(value).every((part) => isBlank(part)));

/** Files cannot be sent back: what is read of them is where they are. */
const canResend = ({ kind }: Field) => kind !== 'file';

/** A composite is read as one object, or as the keys that it is written with. */
function readValue(record: ServiceRecord, field: Field): unknown {
  if (field.slug in record) return record[field.slug];
  const parts = Object.entries(record).flatMap(([key, value]) => {
    const part = key.startsWith(field.slug) && /^(?:\[(\w+)\]|__(\w+))$/.exec(key.slice(field.slug.length));
    return part ? [[part[1] ?? part[2], value]] : [];
  });
  return parts.length > 0 ? Object.fromEntries(parts) : undefined;
}

/** The fields that a payload names. */
export const slugsIn = (entries: Entries, table: Table) =>
  new Set(entries.map(([key]) => table.payloadSlot(key, 'Columns').field.slug));

/** What a composite may show beside its parts: all of them in one text, and its own id. */
const DERIVED = /^(formatted|full|display|text|label|id$)/;

/** A value without what only reading brings: a composite's text, the label beside a choice. */
function writable(value: unknown, field: Field): unknown {
  if (Array.isArray(value)) return value.filter((one) => one !== null).map((one) => writable(one, field));
  if (typeof value !== 'object' || value === null) return value;
  if (partsOf(field)) return omitBy(value, (_, key) => DERIVED.test(key));
  return 'value' in value && field.options.length > 0 ? value.value : value;
}

/** A value as it was read that fits no more, like a choice that was taken off the list, goes back as it is. */
function encodedAsRead(value: unknown, field: Field, context: EncodeContext): Entries {
  const plain = writable(value, field);
  try {
    const entries = encodeValue(plain, field, context);
    // Parts that only exist as one text could not be put back.
    if (entries.length > 0 || isEmptyValue(value)) return entries;
  } catch {
    if ([plain].flat().every((one) => ['string', 'number'].includes(typeof one)))
      return [[field.slug, plain as WireValue]];
  }
  throw cannotReturn(field, value);
}

const cannotReturn = (field: Field, value: unknown) =>
  new InputError(
    `"${field.name}" holds ${shown(value)}, which could not be put back`,
    'Nothing was sent: the update might lose it. If the service keeps what an update does not name, say so in the options: Columns Not Given, "Service Keeps Them".',
  );

/** Payload entries of the fields of `record` that `given` does not name. */
export function currentValues(
  table: Table,
  record: ServiceRecord,
  given: Entries,
  context: EncodeContext,
): Entries {
  const named = slugsIn(given, table);
  return table.writable
    .filter((field) => canResend(field) && !named.has(field.slug))
    .flatMap((field) => {
      const value = readValue(record, field);
      return value === undefined ? [] : encodedAsRead(value, field, context);
    });
}

/** Whether a record holds nothing in a field. */
export const holdsNothing = (record: ServiceRecord, field: Field): boolean =>
  isEmptyValue(readValue(record, field));

/** Fields that an update with `entries` could empty: those that hold something and are not given. */
export function atStake(table: Table, record: ServiceRecord, entries: Entries): Field[] {
  const named = slugsIn(entries, table);
  return table.writable.filter(
    (field) => canResend(field) && !named.has(field.slug) && !holdsNothing(record, field),
  );
}
