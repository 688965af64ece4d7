/** All kinds of fields. `toField` converts the description of a field in the service to a `Field`. */
import { uniqBy } from 'lodash';
import { fullFieldSchema, isObject } from '../../service';
import { allDayKind, calendarKind, dateRangeKind, rangeEndKind } from './calendar';
import { checkboxesKind, choiceKind, choicesKind } from './choice';
import { addressKind, nameKind } from './composite';
import { connectionKind, connectionOperators, userKind } from './connection';
import { DATE_TIME_FORMAT, readDateText } from './dateTimeText';
import type { Field, KindName } from './field';
import { fileKind, filesKind, imageKind } from './file';
import { type FieldKind, defineKind } from './kind';
import {
  addValueConversion,
  createDateOperators,
  createTextOperators,
  isEmptyValue,
  numberOperators,
  userOperators,
} from './operators';
import {
  checkboxKind,
  createCheckedOperators,
  dateKind,
  dateTimeKind,
  emailKind,
  linkKind,
  numberKind,
  parseCheckboxValue,
  passwordKind,
  readNumber,
  textKind,
  timeKind,
} from './plainKinds';

const listTexts = (value: unknown): string[] =>
  isObject(value) || Array.isArray(value) ? Object.values(value).flatMap(listTexts) : [String(value ?? '')];

/** Several operators have the same name, such as `is`. `uniqBy` keeps the first one, which compares text. */
const unnamedKindOperators = [
  ...createTextOperators((value) => (isEmptyValue(value) ? [''] : listTexts(value))),
  ...numberOperators.map(addValueConversion(readNumber)),
  // A date may be a `Date` object or text in another format, so it is converted first.
  ...createDateOperators(DATE_TIME_FORMAT).map(
    addValueConversion((value) => readDateText(value, DATE_TIME_FORMAT)),
  ),
  ...createCheckedOperators((value) => parseCheckboxValue(value) === 1),
  ...connectionOperators,
  ...userOperators,
];

/**
 * All other types (Signature, Percent, …). Values are written as text, and read unchanged. An object is never written,
 * because its meaning is unknown. See silences.md: `otherTypes`.
 */
const unnamedKind: FieldKind = defineKind({
  ...textKind,
  types: /^/,
  labelRole: undefined,
  operators: uniqBy(unnamedKindOperators, 'name'),
  normalize: (value) => (typeof value === 'object' && value !== null ? value : String(value ?? '')),
  encodeOperand: (value, field, context) =>
    (isObject(value) ? dateTimeKind : textKind).encodeOperand(value, field, context),
});

/** The first kind whose `types` match is used: Date-Time is before Date, and `unnamed`, which matches all, is last. */
const KINDS_BY_NAME: Record<KindName, FieldKind> = {
  text: textKind,
  email: emailKind,
  link: linkKind,
  password: passwordKind,
  number: numberKind,
  checkbox: checkboxKind,
  choices: choicesKind,
  checkboxes: checkboxesKind,
  choice: choiceKind,
  dateTime: dateTimeKind,
  calendar: calendarKind,
  dateRange: dateRangeKind,
  rangeEnd: rangeEndKind,
  allDay: allDayKind,
  date: dateKind,
  time: timeKind,
  connection: connectionKind,
  user: userKind,
  image: imageKind,
  files: filesKind,
  file: fileKind,
  name: nameKind,
  address: addressKind,
  unnamed: unnamedKind,
};

export const KIND_NAMES = Object.keys(KINDS_BY_NAME) as KindName[];

export const getKind = ({ kind }: Pick<Field, 'kind'>): FieldKind => KINDS_BY_NAME[kind];

/** Converts `Date-Time` to `date time`. */
const normalizeType = (type: string): string =>
  type
    .toLowerCase()
    .replace(/[^a-z]+/g, ' ')
    .trim();

export const findKindName = (type: string): KindName =>
  KIND_NAMES.find((name) => KINDS_BY_NAME[name].types.test(normalizeType(type))) ?? 'unnamed';

/** Types that the service calculates (evidence 8). The spec names none for formulas. See silences.md: `otherTypes`. */
const CALCULATED_TYPE_PATTERN = /formula|equation|roll ?up|lookup|^(count|sum)\b/;

/** Types whose values the service sets without a calculation, and Image, which the API can only read. */
const MAINTAINED_TYPE_PATTERN =
  /auto ?(number|increment)|^(record )?id$|^(last )?(created|updated|modified)\b|^image/;

export const isCalculatedType = (type: string): boolean => CALCULATED_TYPE_PATTERN.test(normalizeType(type));

const isReadOnlyType = (type: string): boolean =>
  isCalculatedType(type) || MAINTAINED_TYPE_PATTERN.test(normalizeType(type));

/** Every record has these fields. The kinds are fixed, because a list of fields may name other types (evidence 24). */
export const SYSTEM_FIELD_KINDS = new Map<string, KindName>([
  ['id', 'text'],
  ['auto_increment', 'number'],
  ['created_at', 'dateTime'],
]);

export const explainReadOnly = ({ kind }: Pick<Field, 'kind'>): string =>
  kind === 'image' ? 'the API of the service cannot write an Image' : 'the service maintains its values';

const isFilledText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** The types `1-to-1` and `N-to-1` take one ID. All other types take a list of IDs. */
function parseConnection(join: unknown): Field['connection'] {
  const { join_type, data_table_id, field_slug, field_id } = (join ?? {}) as Record<string, unknown>;
  return {
    many: !(typeof join_type === 'string' && /(to-1|to-one|to_one)$/i.test(join_type.trim())),
    tableId: isFilledText(data_table_id) ? data_table_id : undefined,
    nameField: [field_slug, field_id].filter(isFilledText),
  };
}

/** Whether a field names a connected table. Its type may be Join or Connection (evidence 8). */
const hasConnectedTable = (join: unknown, type: string): boolean =>
  isObject(join) && isFilledText(join.data_table_id) && !isReadOnlyType(type);

/** Converts a field of the service (spec: Field, full). @throws ZodError for a field without a slug */
export function toField(entry: unknown): Field {
  const full = fullFieldSchema.parse(entry);
  const type = full.type || 'Text';
  const systemKind = SYSTEM_FIELD_KINDS.get(full.slug);
  const kind = systemKind ?? (hasConnectedTable(full.join, full.type) ? 'connection' : findKindName(type));
  return {
    slug: full.slug,
    fieldId: full.fieldId,
    name: full.name || full.slug,
    type,
    kind,
    description: full.description,
    defaultValue: full.default_value == null ? '' : String(full.default_value),
    unique: ['yes', 'true', '1'].includes(full.is_unique.toLowerCase()),
    isReadOnly: systemKind !== undefined || isReadOnlyType(full.type),
    options: full.options.map(({ label, value }) => ({ label, value })),
    ...(kind === 'connection' && { connection: parseConnection(full.join) }),
  };
}
