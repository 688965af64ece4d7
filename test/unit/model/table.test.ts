import { closest } from '../../../nodes/shared/model/closest';
import { fieldFrom } from '../../../nodes/shared/model/fields';
import { shown } from '../../../nodes/shared/model/inputError';
import { fullFieldSchema } from '../../../nodes/shared/model/responses';
import { Table, UnknownField } from '../../../nodes/shared/model/table';

const field = (slug: string, name: string, type: string, more: object = {}) =>
  fieldFrom(fullFieldSchema.parse({ slug, name, type, ...more }));

const table = new Table('t1', [
  field('company', 'Company', 'Text', { fieldId: 'f1' }),
  field('who', 'Contact', 'Name'),
  field('where', 'Place', 'Address'),
  field('term', 'Term', 'Calendar'),
  field('total', 'Total', 'Equation'),
]);

const failureOf = (look: () => unknown): UnknownField => {
  try {
    look();
  } catch (error) {
    return error as UnknownField;
  }
  throw new Error('it was found');
};

test('every table has created_at once, and it cannot be written', () => {
  const slugs = (one: Table) => one.fields.map(({ slug }) => slug);
  expect(slugs(table)).toEqual(['company', 'who', 'where', 'term', 'total', 'created_at']);
  expect(slugs(new Table('t2', table.fields))).toEqual(slugs(table));
  expect(table.writable.map(({ slug }) => slug)).toEqual(['company', 'who', 'where', 'term']);
  expect(table.field('created_at', 'Sort')).toMatchObject({
    name: 'Created At',
    kind: 'dateTime',
    computed: true,
  });
});

test('a field is found by slug and by id, for sorting not a part of it', () => {
  expect(table.field('company', 'Sort').slug).toBe('company');
  expect(table.field('f1', 'Sort').slug).toBe('company');
  expect(table.filterSlot('who-first', 'Filter')).toMatchObject({
    field: { slug: 'who' },
    part: { filter: 'first' },
  });
  expect(() => table.field('who-first', 'Sort')).toThrow('Sort: the table has no field "who-first"');
  expect(() => table.field('', 'Sort')).toThrow('Sort: the table has no field ""');
});

test('a part has one name in filters and another in payloads; the ends of a Calendar have none in filters', () => {
  expect(table.filterSlot('where-city', 'Filter').part?.filter).toBe('city');
  expect(table.payloadSlot('who[first_name]', 'Columns')).toMatchObject({ field: { slug: 'who' } });
  expect(table.payloadSlot('term__start', 'Columns').part).toMatchObject({ payload: 'start' });
  expect(() => table.filterSlot('term-start', 'Filter')).toThrow('no field "term-start"');
  expect(() => table.payloadSlot('who-first', 'Columns')).toThrow('no field "who-first"');
  expect(() => table.filterSlot('who[first_name]', 'Filter')).toThrow('no field');
});

test('what the service works out cannot be set', () => {
  expect(() => table.payloadSlot('total', 'Columns')).toThrow(
    'Columns: "Total" is worked out by the service',
  );
  expect(failureOf(() => table.payloadSlot('created_at', 'Columns')).remedy).toMatch(/^Leave the column out/);
});

test.each([
  ['Contact', 'Did you mean "who"? '],
  ['place', 'Did you mean "where"? '],
  ['compny', 'Did you mean "company"? '],
  ['comp', 'Did you mean "company"? '],
  ['zzzzzzzz', ''],
])('a name that is none, "%s", is answered with "%s"', (name, hint) => {
  const failure = failureOf(() => table.payloadSlot(name, 'Columns'));
  expect(failure).toBeInstanceOf(UnknownField);
  expect(failure.table).toBe(table);
  expect(failure.remedy).toBe(`${hint}Nothing was sent. Pick the field from the list, or use its slug.`);
});

test('two fields of one name are both offered', () => {
  const twins = new Table('t3', [field('a1', 'Name', 'Text'), field('a2', 'NAME', 'Text')]);
  expect(failureOf(() => twins.field('name', 'Sort')).remedy).toMatch(/^Did you mean "a1" or "a2"\? /);
});

describe('the nearest names', () => {
  const names = ['status', 'state', 'street', 'zip', 'sum'];
  test.each([
    ['status', ['status', 'state']],
    ['STATUS', ['status', 'state']],
    ['statsu', ['status', 'state']],
    ['stat', ['state', 'status']],
    ['zi', ['zip']],
    ['zipp', ['zip']],
    ['zipcodes', []],
    ['', ['zip', 'sum', 'state']],
  ])('of "%s": %j', (word, expected) => {
    // An empty word is part of every name: the shortest are the nearest.
    expect(closest(word, names)).toEqual(expected);
  });

  test('are three at most, and reach further for a long word', () => {
    expect(closest('aaa', ['aab', 'aac', 'aad', 'aae'])).toHaveLength(3);
    expect(closest('customer_number', ['customer_nam'])).toEqual(['customer_nam']);
    expect(closest('customer_number', ['customer'])).toEqual([]);
  });
});

test.each([
  [undefined, 'undefined'],
  [null, 'null'],
  [10n, '10'],
  [-0.5, '-0.5'],
  [Infinity, 'Infinity'],
  [NaN, 'NaN'],
  ['a "b"', '"a \\"b\\""'],
  ['x'.repeat(78), `"${'x'.repeat(78)}"`],
  ['x'.repeat(79), `"${'x'.repeat(76)}…`],
])('shown in a message, %p is %s', (value, text) => {
  expect(shown(value)).toBe(text);
  expect(text.length).toBeLessThanOrEqual(80);
});
