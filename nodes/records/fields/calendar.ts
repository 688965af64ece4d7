/** Ranges with a start and an end. The spec has only days. Services also return times and `all_day` (evidence 9). */
import { isBlank, isObject } from '../../service';
import { choiceKind } from './choice';
import { createCompositePart, createPartSimplifier, readParts } from './composite';
import {
  DATE_FORMAT,
  DATE_TIME_FORMAT,
  findMidnightDay,
  matchesFormat,
  normalizeDateWords,
  readDateText,
  formatDateTime,
} from './dateTimeText';
import type { Field } from './field';
import { type CompositePart, type FieldKind, defineKind } from './kind';
import { addValueConversion } from './operators';
import { dateKind, dateTimeKind, parseCheckboxValue } from './plainKinds';

const isDay = (end: string): boolean => end.length === DATE_FORMAT.length;

const addMidnight = (end: string): string => (isDay(end) ? `${end} 00:00:00` : end);

const toDay = (end: string): string => end.slice(0, DATE_FORMAT.length);

/** Returns a day, a day with a time, null for a blank value, or undefined for a value that is no date. */
function readRangeEnd(value: unknown): string | null | undefined {
  if (isBlank(value)) return null;
  return matchesFormat(value, DATE_FORMAT) ? value : readDateText(value, DATE_TIME_FORMAT);
}

/** If the stored value has no time, the time of the given value is ignored. */
function isSameEnd(stored: unknown, given: unknown): boolean {
  if (typeof stored !== 'string' || typeof given !== 'string') return isBlank(stored) && isBlank(given);
  return isDay(stored) ? stored === toDay(given) : stored === addMidnight(given);
}

const getRangeStart = (value: unknown) => (isObject(value) ? value.start : value);

/** Makes a date operator compare the start of a range, formatted by `format`. */
const addRangeStartConversion = (format: (end: string) => string) =>
  addValueConversion((value) => {
    const end = getRangeStart(value);
    return typeof end === 'string' ? format(end) : null;
  });

export const rangeEndKind: FieldKind = defineKind({
  ...dateTimeKind,
  // Matches no type: only parts of a range have this kind.
  types: /(?!)/,
  labelRole: undefined,
  operators: dateTimeKind.operators.map(addRangeStartConversion(addMidnight)),
  example: '"2025-03-31", or "2025-03-31 14:30:00"',
  encode(value, _field, { timeZone }) {
    const given = normalizeDateWords(value);
    if (matchesFormat(given, DATE_FORMAT)) return given;
    return findMidnightDay(given) ?? formatDateTime(given, DATE_TIME_FORMAT, timeZone);
  },
  normalize: readRangeEnd,
  isEqual: isSameEnd,
  toLookupKey: addMidnight,
});

/**
 * With times, the key in form data is `slug[start]`, as existing clients send it (evidence 14). Without times, it is
 * `slug__start` (spec). Filters name the part `slug-start` (evidence 17).
 */
const createRangeEndPart = (label: string, name: string): CompositePart =>
  createCompositePart(label, name, {
    kind: 'rangeEnd',
    formatKey: (slug) => `${slug}__${name}`,
    formatInForm: (slug, value, withTimes) => {
      const format = withTimes ? addMidnight : toDay;
      const key = withTimes ? `${slug}[${name}]` : `${slug}__${name}`;
      return [key, typeof value === 'string' ? format(value) : value];
    },
  });

const allDayPart = createCompositePart('All Day', 'all_day', {
  kind: 'allDay',
  options: ['Yes', 'No'].map((word) => ({ label: word, value: word })),
  formatKey: (slug) => `${slug}__all_day`,
  formatInForm: (slug, value) => [`${slug}[all_day]`, value],
  formatFilterKey: () => undefined,
});

/** The part All Day. No type has this kind. `Yes` means that the times of the range do not count. */
export const allDayKind: FieldKind = defineKind({
  ...choiceKind,
  types: /(?!)/,
  example: '"Yes", or "No"',
  filterInput: 'text',
  blank: '',
  encode: (value) => ['No', 'Yes'][parseCheckboxValue(value) ?? 2],
});

const rangeEndParts = [createRangeEndPart('Start', 'start'), createRangeEndPart('End', 'end')];
const rangeParts = [...rangeEndParts, allDayPart];

const isEmptyRange = ({ start, end }: Record<string, unknown>): boolean => isBlank(start) && isBlank(end);

/** Reads a range from its parts, or from the text of a single date. */
function readRange(value: unknown, field: Field): unknown {
  const range = readParts(value, field, rangeParts, (one, part) =>
    part.kind === 'allDay' ? (one ?? '') : readRangeEnd(one),
  );
  if (typeof range === 'string') return readRangeEnd(range);
  // A range without ends is empty, even if the service shows `all_day: No`.
  return range && isEmptyRange(range) ? {} : range;
}

function isSameRange(stored: unknown, given: unknown): boolean {
  if (!isObject(stored) || !isObject(given)) return isSameEnd(getRangeStart(stored), getRangeStart(given));
  const isAllDay = ({ all_day }: Record<string, unknown>) => all_day === 'Yes';
  return (
    isSameEnd(stored.start, given.start) &&
    isSameEnd(stored.end, given.end) &&
    isAllDay(stored) === isAllDay(given)
  );
}

const createRangeKind = (
  kind: Pick<FieldKind, 'types' | 'example' | 'operators' | 'encodeOperand'> & Partial<FieldKind>,
): FieldKind =>
  defineKind({
    parts: rangeParts,
    filterInput: 'date',
    rangeOperators: dateKind.rangeOperators,
    isMatchable: false,
    normalize: readRange,
    isEqual: isSameRange,
    simplify: createPartSimplifier((range) => isEmptyRange(range)),
    ...kind,
  });

/** A range of days, or of times if the service returned times. Filters compare its start (spec: Filters). */
export const calendarKind: FieldKind = createRangeKind({
  types: /^calendar/,
  example: '{"start": "2025-03-01", "end": "2025-03-31"}',
  operators: dateKind.operators.map(addRangeStartConversion(toDay)),
  parts: [...rangeEndParts, { ...allDayPart, isHidden: true }],
  encodeOperand: dateKind.encodeOperand,
});

export const dateRangeKind: FieldKind = createRangeKind({
  types: /^date range/,
  example: '{"start": "2025-03-01 09:00:00", "end": "2025-03-01 17:30:00", "all_day": "No"}',
  operators: dateTimeKind.operators.map(addRangeStartConversion(addMidnight)),
  encodeOperand: dateTimeKind.encodeOperand,
  findDay: dateTimeKind.findDay,
});

/** A range has times if its kind has `findDay`, if the record shows a time or All Day, or if the user gave All Day. */
export function isRangeWithTimes({ findDay }: FieldKind, shown: unknown, isAllDayGiven: boolean): boolean {
  const range = isObject(shown) ? shown : {};
  const hasTime = [range.start, range.end].some((end) => typeof end === 'string' && end.includes(':'));
  return findDay !== undefined || isAllDayGiven || hasTime || 'all_day' in range;
}
