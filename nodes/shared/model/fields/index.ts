import { isEqual } from 'lodash';
import type { FullField } from '../answers/tables';
import { calendarKind } from './calendar';
import { checkboxKind } from './checkbox';
import { checkboxesKind, choiceKind, choicesKind } from './choice';
import { addressKind, nameKind } from './composite';
import { connectionKind, userKind } from './connection';
import { dateKind, dateTimeKind, timeKind } from './dateTime';
import type { Field, KindName } from './field';
import { fileKind } from './file';
import type { CompositePart, EncodeContext, FieldKind, PayloadEntries } from './kind';
import { numberKind } from './number';
import { isEmptyValue } from './operators';
import { emailKind, textKind } from './text';
import { unnamedKind } from './unnamed';

/**
 * The kinds, in the order in which their `types` are tried. Date-Time is before Date, and the fallback is
 * last.
 */
const KINDS: Record<KindName, FieldKind> = {
  text: textKind,
  email: emailKind,
  number: numberKind,
  checkbox: checkboxKind,
  choices: choicesKind,
  checkboxes: checkboxesKind,
  choice: choiceKind,
  dateTime: dateTimeKind,
  calendar: calendarKind,
  date: dateKind,
  time: timeKind,
  connection: connectionKind,
  user: userKind,
  file: fileKind,
  name: nameKind,
  address: addressKind,
  unnamed: unnamedKind,
};

export const KIND_NAMES = Object.keys(KINDS) as KindName[];

export const getKind = ({ kind }: Pick<Field, 'kind'>): FieldKind => KINDS[kind];

/** Finds the kind of a field type such as `Date-Time`. */
export function findKindName(type: string): KindName {
  const words = type
    .toLowerCase()
    .replace(/[^a-z]+/g, ' ')
    .trim();
  return KIND_NAMES.find((name) => KINDS[name].types.test(words)) ?? 'unnamed';
}

/** Returns a label for each field: its name, followed by its slug if several fields have the same name. */
export function listFieldLabels(fields: Field[]): string[] {
  const counts = new Map<string, number>();
  for (const { name } of fields) counts.set(name, (counts.get(name) ?? 0) + 1);
  return fields.map(({ name, slug }) => (counts.get(name) === 1 ? name : `${name} [${slug}]`));
}

/** Adds the field's type to its label, unless the label is the same word: "Email", but "Status (Select)". */
export const formatTypedLabel = (label: string, { type }: Pick<Field, 'type'>): string =>
  label.toLowerCase() === type.toLowerCase() ? label : `${label} (${type})`;

/**
 * Converts a part of a composite field to a field, so that its values and filters are handled by the part's
 * kind.
 */
export const toPartField = (field: Field, { kind, label, formatKey }: CompositePart): Field => ({
  ...field,
  kind,
  slug: formatKey(field.slug),
  name: `${field.name}: ${label}`,
});

/** Types with calculated values. The spec mentions formulas but does not name their type. */
const COMPUTED_TYPE = /formula|equation|rollup|auto.?(number|increment)/i;

/** Whether the service calculates the values of this type. */
export const isComputedType = (type: string): boolean => COMPUTED_TYPE.test(type);

const isFilledText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/**
 * Parses the target of a connection. `1-to-1` and `N-to-1` take one ID, all other types take a list of IDs.
 */
function parseConnection(join: unknown): Field['connection'] {
  const { join_type, data_table_id, field_slug, field_id } = (join ?? {}) as Record<string, unknown>;
  return {
    many: !(typeof join_type === 'string' && /(to-1|to-one|to_one)$/i.test(join_type.trim())),
    tableId: isFilledText(data_table_id) ? data_table_id : undefined,
    nameField: [field_slug, field_id].filter(isFilledText),
  };
}

export function toField(full: FullField): Field {
  const type = full.type || 'Text';
  const kind = findKindName(type);
  return {
    slug: full.slug,
    fieldId: full.fieldId,
    name: full.name || full.slug,
    type,
    kind,
    description: full.description,
    defaultValue: full.default_value == null ? '' : String(full.default_value),
    unique: ['yes', 'true', '1'].includes(full.is_unique.toLowerCase()),
    computed: isComputedType(full.type),
    options: full.options.map(({ label, value }) => ({ label, value })),
    ...(kind === 'connection' && { connection: parseConnection(full.join) }),
  };
}

/**
 * Encodes a value as payload entries. @throws InputError naming the field, its type, the value and an example
 */
export const encodeValue = (value: unknown, field: Field, context: EncodeContext): PayloadEntries =>
  getKind(field).encode(value, field, context);

/**
 * Encodes the configured default, which is text for all types. Returns no entries for an invalid default
 * ("today" for a date).
 */
export function encodeDefault(field: Field): PayloadEntries {
  if (field.defaultValue === '') return [];
  try {
    return encodeValue(field.defaultValue, field, { timeZone: 'utc' });
  } catch {
    return [];
  }
}

/** Whether a value is empty, in any form that the service returns. 0 and unchecked are not empty. */
export const isEmpty = (value: unknown, field: Field): boolean =>
  isEmptyValue(getKind(field).read(value, field));

/** Whether a value equals the one that the service stores for a field that a payload omits (spec: Record). */
export const isOmitted = (value: unknown, field: Field): boolean =>
  isEmpty(value, field) || equals(value, getKind(field).omittedValue, field);

/**
 * Converts a canonical value for a comparison: an empty part equals a missing one, and the order of choices and
 * connections has no meaning.
 */
function toComparable(value: unknown): unknown {
  if (Array.isArray(value)) return [...value].sort();
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).filter(([, part]) => !isEmptyValue(part)))
    : value;
}

/**
 * Whether two values of a field are equal in any form: from the service, from a payload, or as users write
 * them. 0 and empty differ. A value that cannot be read equals no other value.
 */
export function equals(first: unknown, second: unknown, field: Field): boolean {
  const [a, b] = [first, second].map((value) => getKind(field).read(value, field));
  if (a === undefined || b === undefined) return false;
  return (isEmptyValue(a) && isEmptyValue(b)) || isEqual(toComparable(a), toComparable(b));
}

export * from '../input/dateTimeText';
export * from '../input/isBlank';
export * from './field';
export * from './kind';
export * from './operators';
export { listPartKeys } from './composite';
