import { formatForError } from '../input/inputError';
import { toFieldKey } from '../input/names';
import { isBlank, isObject, parseJsonObject } from '../input/values';
import type { Field } from './field';
import { type CompositePart, type FieldKind, createInvalidValueError, defineKind } from './kind';
import { type Operator, anyOfOperator, createTextOperators } from './operators';
import { dateKind, textKind } from './plainKinds';

type Parts = Record<string, unknown>;

/** Lists the keys of a part in payloads and records: `name[first_name]`, `name__first_name`, `name-first`. */
export const listPartKeys = ({ payload, filter }: CompositePart, slug: string): string[] =>
  [...new Set([payload, filter])].flatMap((name) => [
    `${slug}[${name}]`,
    `${slug}__${name}`,
    `${slug}-${name}`,
  ]);

/** Finds a part by its key, or by its name: `firstName`, `City`. The keys of the parts of a kind differ. */
const findPart = (parts: CompositePart[], key: string, slug: string) =>
  parts.find((part) => listPartKeys(part, slug).includes(key)) ??
  parts.find(({ payload, filter, label }) =>
    [payload, filter, label].some((name) => toFieldKey(name) === toFieldKey(key)),
  );

/**
 * Parses the parts of a value such as `{first_name: 'Ada'}` or its JSON text. A blank value clears every
 * part.
 */
export function parseParts(
  value: unknown,
  field: Field,
  { parts = [], example }: Pick<FieldKind, 'parts' | 'example'>,
): Array<[CompositePart, unknown]> {
  if (isBlank(value)) return parts.map((part) => [part, null]);
  const partValues = typeof value === 'string' ? parseJsonObject(value) : value;
  if (!isObject(partValues)) throw createInvalidValueError(field, value, example);
  const fail = (reason: string) => createInvalidValueError(field, value, example, reason);
  const keys = new Map<CompositePart, string>();
  return Object.entries(partValues).map(([key, partValue]) => {
    const part = findPart(parts, key, field.slug);
    const names = parts.map(({ payload }) => payload).join(', ');
    if (!part) throw fail(`It has no part ${formatForError(key)}, only ${names}.`);
    const other = keys.get(part);
    if (other !== undefined)
      throw fail(`${part.payload} is given twice, as ${formatForError(other)} and ${formatForError(key)}.`);
    keys.set(part, key);
    return [part, partValue];
  });
}

function toLine(value: unknown): string {
  if (isBlank(value)) return '';
  if (typeof value !== 'object') return String(value);
  return Object.values(value as object)
    .map(toLine)
    .filter(Boolean)
    .join(' ');
}

/**
 * Reads the parts of a value by their payload names. A value without known parts becomes one line of text,
 * which can be searched but not written back. Undefined if `readPart` cannot read a part.
 */
export function readParts(
  value: unknown,
  field: Field,
  parts: CompositePart[],
  readPart: (value: unknown) => unknown,
): Parts | string | undefined {
  const parsed = (typeof value === 'string' && parseJsonObject(value)) || value;
  if (!isObject(parsed)) return toLine(parsed);
  const entries = Object.entries(parsed).flatMap(([key, partValue]) => {
    const part = findPart(parts, key, field.slug);
    return part ? [[part.payload, readPart(partValue)] as const] : [];
  });
  if (entries.some(([, part]) => part === undefined)) return undefined;
  return entries.length > 0 ? Object.fromEntries(entries) : toLine(parsed);
}

/** Formats a composite value as one line, with the parts in the order of the spec. */
export const joinParts = (value: unknown, parts: CompositePart[]): string =>
  isObject(value) ? toLine(parts.map(({ payload }) => value[payload])) : String(value ?? '');

/** Spec: payload keys `slug[first_name]`, filter suffixes `-first` (Filters, sub-fields). */
const createTextPart = (payload: string, filter: string, label: string): CompositePart => ({
  payload,
  filter,
  label,
  kind: 'text',
  formatKey: (slug) => `${slug}[${payload}]`,
  formatFilterId: (slug) => `${slug}-${filter}`,
});

const createCompositeKind = (types: RegExp, example: string, parts: CompositePart[]): FieldKind =>
  defineKind({
    types,
    example,
    parts,
    operators: [...createTextOperators((value) => [joinParts(value, parts)]), anyOfOperator],
    createColumns: ({ slug, name }) =>
      parts.map((part) => ({ key: part.formatKey(slug), label: `${name}: ${part.label}`, type: 'string' })),
    encode: (value, field) =>
      parseParts(value, field, { parts, example }).map(([part, partValue]) => {
        if (typeof partValue === 'object' && partValue !== null)
          throw createInvalidValueError(field, value, example);
        return [part.formatKey(field.slug), isBlank(partValue) ? '' : String(partValue)];
      }),
    read: (value, field) => readParts(value, field, parts, (part) => textKind.read(part, field)),
    encodeOperand: textKind.encodeOperand,
    createMatch: textKind.createMatch,
  });

export const nameKind: FieldKind = {
  ...createCompositeKind(/^name/, '{"first_name": "Ada", "last_name": "Byron"}', [
    createTextPart('title', 'title', 'Title'),
    createTextPart('first_name', 'first', 'First'),
    createTextPart('middle_name', 'middle', 'Middle'),
    createTextPart('last_name', 'last', 'Last'),
  ]),
  labelRole: 'text',
};

export const addressKind = createCompositeKind(/^address/, '{"city": "Leeds", "country": "UK"}', [
  createTextPart('address', 'address', 'Address'),
  createTextPart('address2', 'address2', 'Address 2'),
  createTextPart('city', 'city', 'City'),
  createTextPart('state', 'state', 'State'),
  createTextPart('zip', 'zip', 'ZIP'),
  createTextPart('country', 'country', 'Country'),
]);

/**
 * Start and end have separate payload keys (spec: `slug__start`, `slug__end`). The spec names no filter
 * suffixes for a Calendar: a filter compares the whole field by its start and cannot compare the end.
 * Open point: `calendarFilter`.
 */
const createEnd = (name: string, label: string): CompositePart => ({
  payload: name,
  filter: name,
  label,
  kind: 'date',
  formatKey: (slug) => `${slug}__${name}`,
  formatFilterId: (slug) => (name === 'start' ? slug : undefined),
});

const parts = [createEnd('start', 'Start'), createEnd('end', 'End')];

/** The start of a canonical value, which is a range or the text of a single date. */
const getStart = (value: unknown) =>
  typeof value === 'object' && value !== null ? (value as { start?: unknown }).start : value;

/** Makes a date operator compare the start of the range. */
const compareStart = ({ matches, ...operator }: Operator): Operator => ({
  ...operator,
  ...(matches && { matches: (value, val, context) => matches(getStart(value) ?? null, val, context) }),
});

/** Calendar: a date range. */
export const calendarKind: FieldKind = defineKind({
  types: /^(calendar|date range)/,
  example: '{"start": "2025-03-01", "end": "2025-03-31"}',
  parts,
  hasSingleSpelling: true,
  operators: dateKind.operators.map(compareStart),
  rangeOperators: dateKind.rangeOperators,
  isMatchable: false,
  createColumns: ({ slug, name }) =>
    parts.map((part) => ({ key: part.formatKey(slug), label: `${name}: ${part.label}`, type: 'dateTime' })),
  encode: (value, field, context) =>
    parseParts(value, field, calendarKind).flatMap(([part, end]) =>
      dateKind.encode(end, { ...field, slug: part.formatKey(field.slug) }, context),
    ),
  read(value, field) {
    const range = readParts(value, field, parts, (end) => dateKind.read(end, field));
    return typeof range === 'string' ? dateKind.read(range, field) : range;
  },
  encodeOperand: dateKind.encodeOperand,
});
