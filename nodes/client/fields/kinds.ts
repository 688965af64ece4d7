import type { FullField } from '../responses/schemas';
import { calendarKind } from './calendar';
import { checkboxKind } from './checkbox';
import { checkboxesKind, choiceKind, choicesKind } from './choice';
import { addressKind, nameKind } from './composite';
import { connectionKind, userKind } from './connection';
import { dateKind, dateTimeKind, timeKind } from './dateTime';
import type { Field, KindName } from './field';
import { fileKind } from './file';
import type { FieldKind } from './kind';
import { numberKind } from './number';
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
