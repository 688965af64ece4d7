import { createFound, type SampleRecord, type ToolCall } from '../toolCall';

interface Showcase {
  number: number;
  date: string | null;
  time: string | null;
  date_time: string | null;
  select: string;
  multi_select: string[];
  calendar: { start: string } | null;
}

const find = (
  call: string,
  filter: unknown,
  matching?: (record: Showcase) => boolean,
  error = /A valid value: \{|Operators of the type|A valid filter: \{|A valid value|Its choices are/,
): ToolCall => ({
  call,
  tool: 'findRecords',
  args: { table: 'Showcase', filter },
  meaning: matching && createFound('Showcase', matching as unknown as (record: SampleRecord) => boolean),
  error,
});

const DAY = '2025-06-11';

/** Values of other types than the field's. */
export const valueCalls: ToolCall[] = [
  find('a number as text', { number: '4' }, ({ number }) => number === 4),
  find('a number with decimals as text', { number: '4.0' }, ({ number }) => number === 4),
  find('a choice by label', { select: 'Letter B' }, ({ select }) => select === 'b'),
  find('a choice by label in another case', { select: 'letter b' }, ({ select }) => select === 'b'),
  find('a choice by value in another case', { select: 'B' }, ({ select }) => select === 'b'),
  find(
    'a choice as a list of one',
    [{ field: 'select', operator: 'is', value: ['Letter B'] }],
    ({ select }) => select === 'b',
  ),
  find('a multiple choice by label', { multi_select: { contains: 'Letter B' } }, ({ multi_select }) =>
    multi_select.includes('b'),
  ),
  find('a day', { date: { after: DAY } }, ({ date }) => date !== null && date > DAY),
  find(
    'a day with a time for a date',
    { date: { $gt: `${DAY}T00:00:00Z` } },
    ({ date }) => date !== null && date > DAY,
  ),
  find('a day in words', { date: { after: 'June 11, 2025' } }, ({ date }) => date !== null && date > DAY),
  find(
    'a day for a date with a time',
    { date_time: { '>=': DAY } },
    ({ date_time }) => date_time !== null && date_time >= DAY,
  ),
  find(
    'a time without seconds',
    { time: { before: '05:00' } },
    ({ time }) => time !== null && time < '05:00:00',
  ),
  find(
    'today',
    { date: { before: 'today' }, number: { $gt: 10 } },
    ({ number, date }) => date !== null && number > 10,
  ),
  find(
    'a range of days',
    { date: { between: ['2025-06-05', DAY] } },
    ({ date }) => date !== null && date >= '2025-06-05' && date <= DAY,
  ),
  find(
    'the start of a calendar',
    { Calendar: { before: DAY } },
    ({ calendar }) => Boolean(calendar?.start) && String(calendar?.start) < DAY,
  ),
  find('a day that may be two', { date: '03/04/2025' }),
  find('a number in words', { number: 'twelve' }),
  find('an unknown choice', { select: 'Letter Z' }),
];
