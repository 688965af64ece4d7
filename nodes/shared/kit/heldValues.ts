import {
  asWritten,
  encodeValue,
  isBlank,
  isChecked,
  type EncodeContext,
  type Entries,
  type Field,
  partsOf,
  type WireValue,
} from '../model/fields';
import { InputError, shown } from '../model/inputError';
import type { ServiceRecord } from '../model/responses';
import type { Table } from '../model/table';

/** Empty in any of the forms that the service has for it, numbers as text too; composites part by part. */
function isEmptyValue(value: unknown, { kind }: Field): boolean {
  if (isBlank(value)) return true;
  if (kind === 'number') return Number(value) === 0;
  if (kind === 'checkbox') return !isChecked(value);
  return typeof value === 'object' && Object.values(value).every((part) => isBlank(part));
}

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

/** A value as it was read that fits no more, like a choice that was taken off the list, goes back as it is. */
function encodedAsRead(value: unknown, field: Field, context: EncodeContext): Entries {
  const plain = asWritten(value, field);
  const isComposite = partsOf(field) !== undefined;
  try {
    const entries = encodeValue(plain, field, context);
    if (entries.length > 0 || isEmptyValue(value, field)) return entries;
  } catch {
    // Parts that only exist as one text could not be put back.
    if (!isComposite && [plain].flat().every((one) => ['string', 'number'].includes(typeof one)))
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
  isEmptyValue(readValue(record, field), field);

/** Fields that an update with `entries` could empty: those that hold something and are not given. */
export function atStake(table: Table, record: ServiceRecord, entries: Entries): Field[] {
  const named = slugsIn(entries, table);
  return table.writable.filter(
    (field) => canResend(field) && !named.has(field.slug) && !holdsNothing(record, field),
  );
}
