import type { Field, KindName } from './field';
import type { FieldKind } from './kind';
import { calendarKind } from './kinds/calendar';
import { checkboxKind } from './kinds/checkbox';
import { checkboxesKind, choiceKind, choicesKind } from './kinds/choice';
import { addressKind, nameKind } from './kinds/composite';
import { connectionKind, userKind } from './kinds/connection';
import { dateKind, dateTimeKind, timeKind } from './kinds/dateTime';
import { fileKind } from './kinds/file';
import { numberKind } from './kinds/number';
import { emailKind, textKind } from './kinds/text';
import { unnamedKind } from './kinds/unnamed';

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
