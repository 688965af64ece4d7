import { DATE_TIME_FORMAT, readFormatText } from '../input/dateTimeText';
import { isObject } from '../input/values';
import type { FullField } from '../responses/schemas';
import { checkboxesKind, choiceKind, choicesKind } from './choice';
import { addressKind, calendarKind, nameKind } from './composite';
import { connectionKind, connectionOperators, fileKind, userKind } from './connection';
import type { Field, KindName } from './field';
import { type FieldKind, defineKind } from './kind';
import {
  type Operator,
  createDateOperators,
  createNumberOperators,
  createTextOperators,
  isEmptyValue,
  userOperators,
} from './operators';
import {
  checkboxKind,
  createCheckedOperators,
  dateKind,
  dateTimeKind,
  emailKind,
  numberKind,
  parseChecked,
  readNumber,
  textKind,
  timeKind,
} from './plainKinds';

/** Lists the texts in a value of any shape. */
const listTexts = (value: unknown): string[] =>
  isObject(value) || Array.isArray(value) ? Object.values(value).flatMap(listTexts) : [String(value ?? '')];

/** Makes an operator of Date-Time accept a Date or another form of a time. */
const readAsDateTime = ({ matches, ...operator }: Operator): Operator => ({
  ...operator,
  ...(matches && {
    matches: (value, val, context) => matches(readFormatText(value, DATE_TIME_FORMAT), val, context),
  }),
});

/**
 * Operators of all families. If several families have the same operator, such as `is`, the first one is used,
 * which compares text.
 */
const allOperators = [
  ...createTextOperators((value) => (isEmptyValue(value) ? [''] : listTexts(value))),
  ...createNumberOperators(readNumber),
  ...createDateOperators(DATE_TIME_FORMAT).map(readAsDateTime),
  ...createCheckedOperators((value) => parseChecked(value) === 1),
  ...connectionOperators,
  ...userOperators,
];

/**
 * Types that the spec does not name (Rating, Percent, Slider, …). They are written as text and filtered with
 * any operator of the spec. Values keep the form in which the service returns them.
 * Open point: `otherTypes`.
 */
const unnamedKind = defineKind({
  ...textKind,
  types: /^/,
  labelRole: undefined,
  operators: allOperators.filter(
    ({ name }, index) => allOperators.findIndex((other) => other.name === name) === index,
  ),
  read: (value) => (typeof value === 'object' && value !== null ? value : String(value ?? '')),
  encodeOperand: (value, field, context) =>
    (isObject(value) ? dateTimeKind : textKind).encodeOperand(value, field, context),
});

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

/** Types with calculated values. The spec mentions formulas but does not name their type. Open point: `otherTypes`. */
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
