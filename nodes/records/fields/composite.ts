/** Fields that consist of parts: Name, Address, Calendar and Date Range. Defines the kinds Name and Address. */
import { compact, isPlainObject } from 'lodash';
import { formatForError, isBlank, isObject } from '../../service';
import type { Field } from './field';
import { parseObjectText } from './inputValues';
import { type CompositePart, type FieldKind, createInvalidValueError, defineKind } from './kind';
import { toLooseNameKey } from './names';
import { anyOfOperator, createTextOperators, isEmptyValue } from './operators';
import { textKind } from './plainKinds';

/** Parses `{first_name: 'Ada'}`, or its JSON text. A blank value clears every part. `derivedParts` are left out. */
export function parseParts(
  value: unknown,
  field: Field,
  { parts = [], derivedParts = [], example }: Pick<FieldKind, 'parts' | 'derivedParts' | 'example'>,
): Array<[CompositePart, unknown]> {
  if (isBlank(value)) return parts.map((part) => [part, null]);
  const partValues = parseObjectText(value);
  if (!isObject(partValues) || !isPlainObject(partValues))
    throw createInvalidValueError(field, value, example);
  const fail = (reason: string) => createInvalidValueError(field, value, example, reason);
  const keys = new Map<CompositePart, string>();
  const given = Object.entries(partValues).filter(([key]) => !derivedParts.includes(key.toLowerCase()));
  return given.map(([key, partValue]) => {
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

/** Converts a part to a separate `Field`, so that values and filters use the kind of the part. */
export const toPartField = (field: Field, { kind, label, options, formatKey }: CompositePart): Field => ({
  ...field,
  kind,
  slug: formatKey(field.slug),
  name: `${field.name}: ${label}`,
  ...(options && { options }),
});

type PartValues = Record<string, unknown>;

/** Lists the keys of a part, as in `name[first_name]`, `name__first_name` and `name-first`. */
export const listPartKeys = ({ payload, filter }: CompositePart, slug: string): string[] =>
  [...new Set([payload, filter])].flatMap((name) => [
    `${slug}[${name}]`,
    `${slug}__${name}`,
    `${slug}-${name}`,
  ]);

const findPart = (parts: CompositePart[], key: string, slug: string) =>
  parts.find((part) => listPartKeys(part, slug).includes(key)) ??
  parts.find(({ payload, filter, label }) =>
    [payload, filter, label].some((name) => toLooseNameKey(name) === toLooseNameKey(key)),
  );

/**
 * Returns the parts by their names in payloads. Returns the text of a value that is no object. Returns undefined if
 * `readPart` cannot read one of the parts, or if the object has no key of a part.
 */
export function readParts(
  value: unknown,
  field: Field,
  parts: CompositePart[],
  readPart: (value: unknown, part: CompositePart) => unknown,
): PartValues | string | undefined {
  const parsed = parseObjectText(value);
  if (!isObject(parsed)) return String(parsed ?? '');
  const entries = Object.entries(parsed).flatMap(([key, partValue]) => {
    const part = findPart(parts, key, field.slug);
    return part ? [[part.payload, readPart(partValue, part)] as const] : [];
  });
  const isUnknown = entries.length === 0 && !isEmptyValue(parsed);
  return isUnknown || entries.some(([, part]) => part === undefined)
    ? undefined
    : Object.fromEntries(entries);
}

export const joinParts = (value: unknown, parts: CompositePart[]): string =>
  isObject(value) ? compact(parts.map(({ payload }) => value[payload])).join(' ') : String(value ?? '');

/** Payloads name a part `slug[first_name]`, and filters `slug-first` (spec: Filters, sub-fields). */
export const createCompositePart = (
  label: string,
  payload = toLooseNameKey(label),
  options: Partial<CompositePart> = {},
): CompositePart => ({
  payload,
  filter: toLooseNameKey(label),
  label,
  kind: 'text',
  formatKey: (slug) => `${slug}[${payload}]`,
  formatFilterKey: (slug) => `${slug}-${toLooseNameKey(label)}`,
  ...options,
});

/** Creates the function `simplify`, which returns the filled parts and `derivedParts`, or null for an empty value. */
export const createPartSimplifier =
  (isEmpty: (parts: PartValues) => boolean) =>
  (value: unknown): unknown => {
    if (isBlank(value)) return null;
    const parts = parseObjectText(value);
    if (!isObject(parts)) return value;
    return isEmpty(parts)
      ? null
      : Object.fromEntries(Object.entries(parts).filter(([, part]) => !isEmptyValue(part)));
  };

const createCompositeKind = (
  parts: CompositePart[],
  kind: Pick<FieldKind, 'types' | 'example'> & Partial<FieldKind>,
): FieldKind =>
  defineKind({
    parts,
    operators: [...createTextOperators((value) => [joinParts(value, parts)]), anyOfOperator],
    normalize: (value, field) => readParts(value, field, parts, (part) => textKind.normalize(part, field)),
    encodeOperand: textKind.encodeOperand,
    toLookupKey: textKind.toLookupKey,
    simplify: createPartSimplifier(isEmptyValue),
    ...kind,
  });

const nameFieldParts = [
  createCompositePart('Title'),
  createCompositePart('First', 'first_name'),
  createCompositePart('Middle', 'middle_name'),
  createCompositePart('Last', 'last_name'),
];

export const nameKind: FieldKind = createCompositeKind(nameFieldParts, {
  types: /^name/,
  example: '{"first_name": "Ada", "last_name": "Byron"}',
  labelRole: 'text',
});

const addressFieldParts = ['Address', 'Address 2', 'City', 'State', 'ZIP', 'Country'].map((label) =>
  createCompositePart(label),
);

/** The service adds coordinates to an Address (evidence 9). The coordinates are read and never written. */
export const addressKind: FieldKind = createCompositeKind(addressFieldParts, {
  types: /^address/,
  example: '{"city": "Leeds", "country": "UK"}',
  derivedParts: ['lat', 'lng', 'latitude', 'longitude'],
});
