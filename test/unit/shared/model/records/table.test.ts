import { toField } from '../../../../../nodes/shared/model/fields';
import { findSimilarNames } from '../../../../../nodes/shared/model/input/findSimilarNames';
import { formatForError } from '../../../../../nodes/shared/model/input/inputError';
import { formatFilterId, getValueField, Table } from '../../../../../nodes/shared/model/records/table';
import { UnknownFieldError } from '../../../../../nodes/shared/model/records/unknownField';
import { fullFieldSchema } from '../../../../../nodes/shared/model/responses/tables';

const createField = (slug: string, name: string, type: string, more: object = {}) =>
  toField(fullFieldSchema.parse({ slug, name, type, ...more }));

const table = new Table('t1', [
  createField('company', 'Company', 'Text', { fieldId: 'f1' }),
  createField('who', 'Contact', 'Name'),
  createField('where', 'Place', 'Address'),
  createField('term', 'Term', 'Calendar'),
  createField('total', 'Total', 'Equation'),
]);

const catchError = (look: () => unknown): UnknownFieldError => {
  try {
    look();
  } catch (error) {
    return error as UnknownFieldError;
  }
  throw new Error('it was found');
};

test('every table has created_at once, and it cannot be written', () => {
  const listSlugs = (one: Table) => one.fields.map(({ slug }) => slug);
  expect(listSlugs(table)).toEqual(['company', 'who', 'where', 'term', 'total', 'created_at']);
  expect(listSlugs(new Table('t2', table.fields))).toEqual(listSlugs(table));
  expect(table.writableFields.map(({ slug }) => slug)).toEqual(['company', 'who', 'where', 'term']);
  expect(table.field('created_at', 'Sort')).toMatchObject({
    name: 'Created At',
    kind: 'dateTime',
    computed: true,
  });
});

test('a field is found by slug and by id, for sorting not a part of it', () => {
  expect(table.field('company', 'Sort').slug).toBe('company');
  expect(table.field('f1', 'Sort').slug).toBe('company');
  expect(table.resolveFilterField('who-first', 'Filter')).toMatchObject({
    field: { slug: 'who' },
    part: { filter: 'first' },
  });
  expect(() => table.field('who-first', 'Sort')).toThrow('Sort: the table has no field "who-first"');
  expect(() => table.field('', 'Sort')).toThrow('Sort: the table has no field ""');
});

test('a part has the same names in filters and payloads; only the start of a Calendar can be filtered', () => {
  expect(table.resolveFilterField('where-city', 'Filter').part?.filter).toBe('city');
  expect(table.resolvePayloadField('who[first_name]', 'Columns')).toMatchObject({ field: { slug: 'who' } });
  expect(table.resolvePayloadField('term__start', 'Columns').part).toMatchObject({ payload: 'start' });
  for (const name of ['who-first', 'who[first_name]', 'who__first_name', 'who[first]']) {
    expect(formatFilterId(table.resolveFilterField(name, 'Filter'))).toBe('who-first');
    expect(getValueField(table.resolvePayloadField(name, 'Columns')).slug).toBe('who[first_name]');
  }
  expect(formatFilterId(table.resolveFilterField('term__start', 'Filter'))).toBe('term');
  expect(() => table.resolveFilterField('term__end', 'Filter')).toThrow(
    'Filter: the service cannot filter by "Term: End"',
  );
});

test('a slug that looks like a part is a field of its own, and hides the part from filters', () => {
  const twins = new Table('t4', [createField('x', 'X', 'Name'), createField('x-first', 'Odd', 'Text')]);
  expect(twins.resolveFilterField('x-first', 'Filter')).toMatchObject({ field: { slug: 'x-first' } });
  expect(twins.resolvePayloadField('x[first_name]', 'Columns')).toMatchObject({ field: { slug: 'x' } });
  expect(() => twins.resolveFilterField('x[first_name]', 'Filter')).toThrow(
    'Filter: the service cannot filter by "X: First"',
  );
});

test('a calculated field cannot be set', () => {
  expect(() => table.resolvePayloadField('total', 'Columns')).toThrow(
    'Columns: "Total" is calculated by the service',
  );
  expect(catchError(() => table.resolvePayloadField('created_at', 'Columns')).remedy).toMatch(
    /^Leave the column out/,
  );
});

test.each([
  ['compny', 'Did you mean "company"? '],
  ['comp', 'Did you mean "company"? '],
  ['zzzzzzzz', ''],
])('the error for the unknown name "%s" has the remedy "%s"', (name, hint) => {
  const failure = catchError(() => table.resolvePayloadField(name, 'Columns'));
  expect(failure).toBeInstanceOf(UnknownFieldError);
  expect(failure.table).toBe(table);
  expect(failure.remedy).toContain(`${hint}Nothing was sent. The fields are: `);
  expect(failure.remedy).toContain('company (Text)');
});

test('lists both fields with the same name', () => {
  const twins = new Table('t3', [createField('a1', 'Name', 'Text'), createField('a2', 'NAME', 'Text')]);
  expect(catchError(() => twins.field('name', 'Sort')).remedy).toMatch(/^Did you mean "a1" or "a2"\? /);
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
    // An empty word is part of every name, so the shortest names are the nearest.
    expect(findSimilarNames(word, names)).toEqual(expected);
  });

  test('are at most three, and allow more differences for a long word', () => {
    expect(findSimilarNames('aaa', ['aab', 'aac', 'aad', 'aae'])).toHaveLength(3);
    expect(findSimilarNames('customer_number', ['customer_nam'])).toEqual(['customer_nam']);
    expect(findSimilarNames('customer_number', ['customer'])).toEqual([]);
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
  expect(formatForError(value)).toBe(text);
  expect(text.length).toBeLessThanOrEqual(80);
});
