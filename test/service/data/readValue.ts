/** One uploaded file of a multipart body. */
export interface FilePart {
  filename: string;
  contentType: string;
  bytes: Buffer;
}

/** A value that a field does not accept; reported under its slug in `errors` (spec: Errors). */
export class InvalidValueError extends Error {}

/** Context for reading one value of a payload. */
export interface ReadContext {
  /** Whether the body is multipart, where every value is text: "1" is the number 1. */
  form: boolean;
  options: readonly { value: string }[];
  /** Whether a record id exists in the table the field is connected to. */
  hasTarget(recordId: string): boolean;
  /** Whether lists of choices keep '' and doubles. */
  keepsBlankChoices: boolean;
  /** Whether '' in JSON is a number without a value. */
  readsBlankNumber: boolean;
  /** Whether an ID without a record is left out. Otherwise the value is refused. */
  dropsUnknownRecords: boolean;
  storeFile(file: FilePart): string;
  /** Notes that the JSON type is not the one of the field-type table. */
  reportWrongType(expected: string): void;
}

function rejectType(reading: ReadContext, expected: string): never {
  reading.reportWrongType(expected);
  throw new InvalidValueError('Invalid value');
}

export function readText(raw: unknown, reading: ReadContext): string {
  return typeof raw === 'string' ? raw : rejectType(reading, 'a string');
}

/** Reads text of one pattern. '' empties the field. */
export const createPatternReader =
  (pattern: RegExp, message: string) => (raw: unknown, reading: ReadContext) => {
    const value = readText(raw, reading);
    if (value !== '' && !pattern.test(value)) throw new InvalidValueError(message);
    return value;
  };

export function readNumber(raw: unknown, reading: ReadContext): number | null {
  if (raw === null || (raw === '' && (reading.form || reading.readsBlankNumber))) return null;
  const value = reading.form ? Number(raw) : raw;
  if (typeof value !== 'number') return rejectType(reading, 'a number');
  if (!Number.isFinite(value)) throw new InvalidValueError('Number must be valid');
  return value;
}

export function readBit(raw: unknown, reading: ReadContext): 0 | 1 {
  const value = reading.form && (raw === '0' || raw === '1') ? Number(raw) : raw;
  return value === 0 || value === 1 ? value : rejectType(reading, 'the integer 0 or 1');
}

/** Reads a date or time of one layout that exists in the calendar. '' and null empty the field. */
export const createDateTimeReader = (layout: RegExp, prefix: string, suffix: string, message: string) => {
  return (raw: unknown, reading: ReadContext): string | null => {
    if (raw === null || raw === '') return null;
    const value = readText(raw, reading);
    if (!layout.test(value) || !isRealDate(`${prefix}${value}${suffix}`.replace(' ', 'T')))
      throw new InvalidValueError(message);
    return value;
  };
};

/** `Date.parse` turns 30 February into March, so the result is compared with the text. */
function isRealDate(iso: string): boolean {
  const time = Date.parse(`${iso}Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 19) === iso;
}

export function readChoice(raw: unknown, reading: ReadContext): string {
  const value = readText(raw, reading);
  if (value !== '' && !reading.options.some((option) => option.value === value)) {
    throw new InvalidValueError('Invalid option');
  }
  return value;
}

export function readChoices(raw: unknown, reading: ReadContext): string[] {
  if (!Array.isArray(raw)) return rejectType(reading, 'an array of option values');
  const choices = raw.map((item) => readChoice(item, reading));
  const filled = choices.filter((item) => item !== '');
  return reading.keepsBlankChoices && filled.length > 0 ? choices : filled;
}

export function readYesOrNo(raw: unknown, reading: ReadContext): 'Yes' | 'No' | null {
  if (raw === null || raw === '') return null;
  return raw === 'Yes' || raw === 'No' ? raw : rejectType(reading, '"Yes" or "No"');
}

/** Reads a single id; connections are stored as lists. */
export function readRecordId(raw: unknown, reading: ReadContext): string[] {
  if (Array.isArray(raw) && raw.length === 0) return [];
  const id = readText(raw, reading);
  return id === '' ? [] : checkRecordsExist([id], reading);
}

/** Reads an array of ids, or a comma-separated string. */
export function readRecordIds(raw: unknown, reading: ReadContext): string[] {
  const ids = Array.isArray(raw)
    ? raw.map((item) => readText(item, reading))
    : readText(raw, reading).split(',');
  return checkRecordsExist([...new Set(ids.map((id) => id.trim()).filter((id) => id !== ''))], reading);
}

function checkRecordsExist(ids: string[], reading: ReadContext): string[] {
  const known = ids.filter((id) => reading.hasTarget(id));
  if (known.length < ids.length && !reading.dropsUnknownRecords)
    throw new InvalidValueError('Record Not Found');
  return known;
}

/** Reads one file part, or several of the same name. */
export function readFiles(raw: unknown, reading: ReadContext): string | string[] {
  if (raw === '') return '';
  if (Array.isArray(raw)) return raw.map((part) => storePart(part, reading));
  return storePart(raw, reading);
}

/** Reads the files of a field that holds a list. */
export function readFileList(raw: unknown, reading: ReadContext): string[] {
  const files = readFiles(Array.isArray(raw) ? raw.filter((part) => part !== '') : raw, reading);
  return files === '' ? [] : [files].flat();
}

function storePart(raw: unknown, reading: ReadContext): string {
  const isPart = typeof raw === 'object' && raw !== null && 'bytes' in raw;
  return isPart ? reading.storeFile(raw as FilePart) : rejectType(reading, 'a multipart/form-data file part');
}
