import {
  buildWordFilter,
  findLabelFields,
  formatRecordLabel,
  matchesWords,
  splitWords,
  Table,
} from '../../../../nodes/records';
import { parseField } from '../fields/fieldTools';

const createTable = (...fields: Array<[slug: string, type: string]>) =>
  new Table(
    't',
    fields.map(([slug, type]) => parseField({ slug, fieldId: slug, name: slug, type })),
  );

const people = createTable(
  ['notes', 'Long Text'],
  ['name', 'Name'],
  ['mail', 'Email'],
  ['company', 'Text'],
  ['phone', 'Phone'],
);

test('labels use the first three short texts', () => {
  expect(findLabelFields(people).map(({ slug }) => slug)).toEqual(['name', 'mail', 'company']);
});

test('a table without short texts uses numbers and dates', () => {
  const readings = createTable(['place', 'Address'], ['value', 'Number'], ['day', 'Date']);
  expect(findLabelFields(readings).map(({ slug }) => slug)).toEqual(['value', 'day', 'created_at']);
});

test('long texts are no part of a label', () => {
  const articles = createTable(
    ['a', 'Text (Multiline)'],
    ['b', 'Multi-Line Text'],
    ['c', 'Rich Text'],
    ['d', 'LONG TEXT'],
    ['e', 'Text'],
  );
  expect(findLabelFields(articles).map(({ slug }) => slug)).toEqual(['e']);
});

test.each([
  [{ id: 'r', name: { first_name: 'Ada', last_name: 'Byron' }, mail: 'a@b' }, 'Ada Byron (a@b)'],
  [{ id: 'r', name: { first_name: 'Ada' }, company: ' ' }, 'Ada'],
  [{ id: 'r', company: 'x'.repeat(61) }, `${'x'.repeat(59)}…`],
  [{ id: 'r', company: 'x'.repeat(60) }, 'x'.repeat(60)],
  [{ id: 'r', name: { first_name: 'Ada' }, mail: 'a@b', company: 'Mill' }, 'Ada (a@b, Mill)'],
  [{ id: 'r', notes: 'hidden' }, 'r'],
])('formats %j', (record, label) => {
  expect(formatRecordLabel(record, people)).toBe(label);
});

test.each([
  ['byron ADA', true],
  ['ada b@c', false],
  ['R1', true],
  ['r1 ada', false],
  ['charles', false],
  // No word is found across two fields.
  ['byrona@b', false],
  ['', true],
])('whether a record matches %j: %s', (text, expected) => {
  const record = { id: 'R1', name: { first_name: 'Ada', last_name: 'Byron' }, mail: 'a@b' };
  expect(matchesWords(record, people, splitWords(text))).toBe(expected);
});

test('each word must be in one of the fields or parts', () => {
  const contains = (field: string, value: string) => ({ field, operator: 'contains', value });
  const names = ['name-title', 'name-first', 'name-middle', 'name-last', 'mail', 'company'];
  expect(buildWordFilter(people, ['a', 'b'])).toEqual({
    match: 'all',
    conditions: [],
    groups: ['a', 'b'].map((word) => ({
      match: 'any',
      conditions: names.map((name) => contains(name, word)),
      groups: [],
    })),
  });
});

test('words are divided by white space', () => {
  expect(splitWords(' Ada  BYRON\n')).toEqual(['ada', 'byron']);
  expect(splitWords(' ')).toEqual([]);
});

test('a part is not searched if another field has its name', () => {
  const table = createTable(['name', 'Name'], ['name-first', 'Number']);
  const [group] = buildWordFilter(table, ['ada'])?.groups ?? [];
  expect(group?.conditions.map(({ field }) => field)).toEqual(['name-title', 'name-middle', 'name-last']);
});

test('nothing is searched without words or without texts', () => {
  expect(buildWordFilter(people, [])).toBeUndefined();
  expect(buildWordFilter(createTable(['value', 'Number']), ['1'])).toBeUndefined();
});
