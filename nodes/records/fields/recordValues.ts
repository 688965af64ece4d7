/** The values of fields in records. */
import { isEqual, omitBy, sortBy } from 'lodash';
import { isBlank, isObject, parseList, tryOr } from '../../service';
import { joinParts, parseParts, readParts, toPartField } from './composite';
import type { EncodeContext, Field, PayloadEntries } from './field';
import { getOwnProperty, isUnroundedNumber } from './inputValues';
import { createInvalidValueError, encodeByKind, type MapperColumn } from './kind';
import { getKind } from './kinds';
import { isEmptyValue } from './operators';
import { type FieldRef, toRefField, labelFields } from './table';

/** Reads the canonical value (see `FieldKind.normalize`) of a field or part in a record. */
export function getCanonicalValue(record: RecordValues, ref: FieldRef): unknown {
  const field = toRefField(ref);
  return getKind(field).normalize(getFieldOrPartValue(record, ref), field);
}

/** Reads a value as text. The parts of a Name or an Address are joined by spaces. */
export const readText = (record: RecordValues, ref: FieldRef): string =>
  joinParts(getCanonicalValue(record, ref), getKind(ref.field).parts ?? []);

/** What a text in the value of a connection means: an ID, a name, or either (`detect`). */
export type ConnectionNotation = 'detect' | 'ids' | 'names';

/** One connected record as the user gives it. A `text` may be an ID or a name. */
export interface ConnectionEntry {
  type: 'id' | 'name' | 'text';
  text: string;
  /** The text as it was given, if it has white space at its ends. The name of a record may have such white space. */
  given?: string;
  /** The text beside the ID in `{id, val}`, as the service returns it. */
  shown?: string;
}

export interface ConnectionEntries {
  entries: ConnectionEntry[];
  /** The whole text of a value with commas. It may be one name: `Smith, Jones`. */
  whole?: string;
}

const VALUE_EXAMPLES = '"Acme", ["recordId1", "recordId2"], {"id": "recordId1"} or {"name": "Acme"}';

const NOTATION_TYPES = { detect: 'text', ids: 'id', names: 'name' } as const;

/** Parses an ID, a name, `{id}`, `{name}`, or `{id, val}` of the service. With `names`, `val` is the name. */
function parseConnectionEntry(value: unknown, notation: ConnectionNotation): ConnectionEntry | undefined {
  if (isObject(value)) {
    const hasText = 'val' in value && !isObject(value.val);
    if (hasText && notation === 'names') return parseConnectionEntry(value.val, 'names');
    const type = 'id' in value ? 'id' : 'name';
    const entry = isObject(value[type]) ? undefined : parseConnectionEntry(value[type], notation);
    const shown = hasText && type === 'id' && notation === 'detect' && String(value.val ?? '').trim();
    return entry && { ...entry, type, ...(shown !== false && { shown }) };
  }
  const isText = typeof value === 'string' || isUnroundedNumber(value);
  const given = isText ? String(value) : '';
  const text = given.trim();
  return text === '' ? undefined : { type: NOTATION_TYPES[notation], text, ...(given !== text && { given }) };
}

/**
 * Parses one record, an array, JSON text of an array, or text with commas.
 * @throws InputError for a value that is neither an ID nor a name
 */
export function parseConnectionEntries(
  value: unknown,
  field: Field,
  notation: ConnectionNotation,
): ConnectionEntries {
  const list = parseList(value);
  // `parseList` removes outer white space, which the name of a record may have. So `value` is used if it is one text.
  const isOne = typeof value === 'string' && value.trim() === list[0];
  const entries = (isOne ? [value] : list)
    .filter((entry) => !isBlank(entry))
    .map((entry) => parseConnectionEntry(entry, notation));
  if (!entries.every((one) => one !== undefined)) throw createInvalidValueError(field, value, VALUE_EXAMPLES);
  const isDivided = typeof value === 'string' && notation !== 'ids' && value.includes(',');
  const whole = isDivided && !value.trimStart().startsWith('[') ? value : undefined;
  return { entries, ...(whole !== undefined && { whole }) };
}

/** Whether a text can be an ID: printable ASCII without spaces, at most 200 characters. */
export const mayBeId = (text: string): boolean => /^[!-~]{1,200}$/.test(text);

/** The values of a record by key, as the service sends them. */
export type RecordValues = Record<string, unknown>;

/** Lists the keys of a field: `customer`, and `customer_val` with the texts of the connected records. */
export function listFieldKeys(record: RecordValues, { table, field }: FieldRef): string[] {
  const displayKey = `${field.slug}_val`;
  const hasDisplayKey = getKind(field).hasDisplayValues && !table.hasSlug(displayKey);
  return [field.slug, ...(hasDisplayKey ? [displayKey] : [])].filter((ownKey) =>
    Object.hasOwn(record, ownKey),
  );
}

/** Returns `customer`, or else the texts of the connection (`customer_val`), or else undefined. */
export function getFieldValue(record: RecordValues, ref: FieldRef): unknown {
  const [shownKey] = listFieldKeys(record, ref);
  return shownKey === undefined ? undefined : record[shownKey];
}

/** Reads the value of a field or part in the form of the service. Returns undefined if the record lacks this value. */
export function getFieldOrPartValue(record: RecordValues, ref: FieldRef): unknown {
  const recordValue = getFieldValue(record, ref);
  if (!ref.part || isBlank(recordValue)) return recordValue;
  const parts = readParts(recordValue, ref.field, [ref.part], (value) => value ?? null);
  return isObject(parts) ? getOwnProperty(parts, ref.part.payload) : undefined;
}

/** Reads the IDs of a connection in a record. Returns [] if the IDs cannot be read. */
export const readConnectedIds = (record: RecordValues, ref: FieldRef): string[] =>
  (getKind(ref.field).normalize(getFieldValue(record, ref), ref.field) as string[] | undefined) ?? [];

/** Finds the field of the key `customer`, or of the key `customer_val` with the texts of the connected records. */
export const findFieldByKey = (fields: Field[], key: string): Field | undefined =>
  fields.find(({ slug }) => slug === key) ?? fields.find(({ slug }) => key === `${slug}_val`);

export const keepColumns = (record: RecordValues, columns: string[], fields: Field[]): RecordValues =>
  Object.fromEntries(
    Object.entries(record).filter(
      ([key]) => key === 'id' || columns.includes(findFieldByKey(fields, key)?.slug ?? key),
    ),
  );

/**
 * Encodes a value (spec: "Field-type value formats"): `{ first: 'Ada' }` becomes `[['name[first_name]', 'Ada']]`. null
 * and '' clear the field.
 * @throws InputError for an invalid value. The error shows a valid one
 */
export function encodeValue(value: unknown, field: Field, context: EncodeContext): PayloadEntries {
  const kind = getKind(field);
  if (!kind.parts) return [[field.slug, encodeByKind(value, field, kind, context)]];
  const parts = parseParts(value, field, kind);
  // An empty range is sent without `all_day`.
  const isEmpty = parts.every(([part, given]) => part.kind === 'allDay' || isBlank(given));
  return parts
    .filter(([part]) => !isEmpty || part.kind !== 'allDay')
    .map(([part, given]): PayloadEntries[number] => {
      const key = part.formatKey(field.slug);
      const encoded = encodeByKind(given, field, { ...getKind(part), example: kind.example }, context);
      return isBlank(given) || encoded === given ? [key, encoded] : [key, encoded, given];
    });
}

/** Returns [] for an invalid default, such as "today" for a date. */
export const encodeDefaultValue = (field: Field): PayloadEntries =>
  field.defaultValue === ''
    ? []
    : tryOr(() => encodeValue(field.defaultValue, field, { timeZone: 'utc' }), []);

interface FormColumn extends MapperColumn {
  field: Field;
  /** The default as a user enters it: labels of choices, '1' or '0' for a Decision Box. Not set for a unique field. */
  preset?: string;
}

/**
 * Lists a column for each field, and for a composite field one for each of its parts. The columns of parts come last,
 * so that the other fields stay on screen.
 * @example
 * listFormColumns(table.writableFields); // [{ key: 'company', label: 'Company', type: 'string', field: … }, …]
 */
export function listFormColumns(fields: Field[]): FormColumn[] {
  const sorted = sortBy(fields, (field) => getKind(field).parts !== undefined);
  return labelFields(sorted).flatMap(({ field, label }) => {
    const named = { ...field, name: label };
    const parts = getKind(field).parts?.filter(({ isHidden }) => !isHidden);
    const inputs = parts?.map((part) => toPartField(named, part)) ?? [named];
    return inputs.map((input) => createFormColumn(input, field));
  });
}

function createFormColumn(input: Field, field: Field): FormColumn {
  const { slug: key, name, options } = input;
  const { columnType: type, describeColumn } = getKind(input);
  const label = describeColumn ? `${name} (${describeColumn(input)})` : name;
  const column = { key, label, type, field, preset: describeDefaultValue(field, key) };
  if (type !== 'options') return column;
  return { ...column, options: options.map((option) => ({ name: option.label, value: option.value })) };
}

const findOptionLabel = ({ options }: Field, choice: unknown): string =>
  options.find(({ value }) => value === choice)?.label ?? String(choice);

function describeDefaultValue(field: Field, key: string): string | undefined {
  const value = encodeDefaultValue(field).find(([payloadKey]) => payloadKey === key)?.[1];
  if (value === undefined || field.unique) return undefined;
  return [value]
    .flat()
    .map((one) => findOptionLabel(field, one))
    .join(', ');
}

export const isEmptyFor = (value: unknown, field: Field): boolean =>
  isEmptyValue(getKind(field).normalize(value, field));

/** An empty value is not filled, and neither is the one that the service stores for an omitted field, such as 0. */
export function isFieldFilled(record: RecordValues, ref: FieldRef): boolean {
  const value = getFieldValue(record, ref);
  const { omittedValue } = getKind(ref.field);
  return value !== undefined && !isEmptyFor(value, ref.field) && !areEqual(value, omittedValue, ref.field);
}

/** Equal values get the same form: empty parts are removed, lists sorted. `field` is undefined for an unknown key. */
export function toComparableValue(value: unknown, field: Field | undefined): unknown {
  const canonical = field && getKind(field).normalize(value, field);
  const comparable = canonical === undefined ? value : canonical;
  if (isEmptyValue(comparable)) return '';
  if (Array.isArray(canonical)) return [...(canonical as unknown[])].sort();
  return isObject(comparable) ? omitBy(comparable, isEmptyValue) : comparable;
}

/**
 * Whether both values mean the same. `value` may have the form of the service, of a payload or of a user's input. 0 and
 * an empty value are different.
 * @param given the value as the user gave it, if `value` was encoded from it
 */
export function areEqual(stored: unknown, value: unknown, field: Field, given = value): boolean {
  const { simplify, isEqual: isSame = isEqual } = getKind(field);
  if (isEqual(stored, given) || (simplify && isEqual(simplify(stored, field), given))) return true;
  const [a, b] = [stored, value].map((one) => toComparableValue(one, field));
  return a === '' || b === '' ? a === b : isSame(a, b);
}
