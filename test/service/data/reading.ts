/** One uploaded file of a multipart body. */
export interface FilePart {
  filename: string;
  contentType: string;
  bytes: Buffer;
}

/** Refusal of a value, reported under the field's slug in `errors` (spec: Errors). */
export class BadValue extends Error {}

/** What a codec needs besides the raw value to read it. */
export interface Reading {
  /** Multipart bodies know only text; there "1" is the right way to send the number 1. */
  form: boolean;
  options: readonly { value: string }[];
  /** Whether a record id exists in the table the field is connected to. */
  connects(recordId: string): boolean;
  storeFile(file: FilePart): string;
  /** The client sent another JSON type than the field-type table asks for. */
  wrongType(expected: string): void;
}

function refuseType(reading: Reading, expected: string): never {
  reading.wrongType(expected);
  throw new BadValue('Invalid value');
}

export function text(raw: unknown, reading: Reading): string {
  return typeof raw === 'string' ? raw : refuseType(reading, 'a string');
}

/** Text of one pattern; blank is always allowed, since '' is how a field is emptied. */
export const patterned = (pattern: RegExp, message: string) => (raw: unknown, reading: Reading) => {
  const value = text(raw, reading);
  if (value !== '' && !pattern.test(value)) throw new BadValue(message);
  return value;
};

export function number(raw: unknown, reading: Reading): number | null {
  if (raw === null || (reading.form && raw === '')) return null;
  const value = reading.form ? Number(raw) : raw;
  if (typeof value !== 'number') return refuseType(reading, 'a number');
  if (!Number.isFinite(value)) throw new BadValue('Number must be valid');
  return value;
}

export function bit(raw: unknown, reading: Reading): 0 | 1 {
  const value = reading.form && (raw === '0' || raw === '1') ? Number(raw) : raw;
  return value === 0 || value === 1 ? value : refuseType(reading, 'the integer 0 or 1');
}

/** Dates and times: one layout each, checked against the calendar; blank is null. */
export const moment = (layout: RegExp, prefix: string, suffix: string, message: string) => {
  return (raw: unknown, reading: Reading): string | null => {
    if (raw === null || raw === '') return null;
    const value = text(raw, reading);
    if (!layout.test(value) || !isReal(`${prefix}${value}${suffix}`.replace(' ', 'T')))
      throw new BadValue(message);
    return value;
  };
};

/** 30 February parses into March, hence the comparison with what was written. */
function isReal(iso: string): boolean {
  const time = Date.parse(`${iso}Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 19) === iso;
}

export function choice(raw: unknown, reading: Reading): string {
  const value = text(raw, reading);
  if (value !== '' && !reading.options.some((option) => option.value === value)) {
    throw new BadValue('Invalid option');
  }
  return value;
}

export function choices(raw: unknown, reading: Reading): string[] {
  if (!Array.isArray(raw)) return refuseType(reading, 'an array of option values');
  return raw.map((item) => choice(item, reading)).filter((item) => item !== '');
}

/** A single id, stored as a list like every connection is read. */
export function oneRecord(raw: unknown, reading: Reading): string[] {
  if (Array.isArray(raw) && raw.length === 0) return [];
  const id = text(raw, reading);
  return id === '' ? [] : existing([id], reading);
}

/** An array of ids, or one comma-separated string. */
export function manyRecords(raw: unknown, reading: Reading): string[] {
  const ids = Array.isArray(raw) ? raw.map((item) => text(item, reading)) : text(raw, reading).split(',');
  return existing([...new Set(ids.map((id) => id.trim()).filter((id) => id !== ''))], reading);
}

function existing(ids: string[], reading: Reading): string[] {
  if (!ids.every((id) => reading.connects(id))) throw new BadValue('Record Not Found');
  return ids;
}

/** One part, or a part repeated under the same name: "part named by the field slug" excludes neither. */
export function file(raw: unknown, reading: Reading): string | string[] {
  if (raw === '') return '';
  if (Array.isArray(raw)) return raw.map((part) => storedFile(part, reading));
  return storedFile(raw, reading);
}

function storedFile(raw: unknown, reading: Reading): string {
  const isPart = typeof raw === 'object' && raw !== null && 'bytes' in raw;
  return isPart ? reading.storeFile(raw as FilePart) : refuseType(reading, 'a multipart/form-data file part');
}
