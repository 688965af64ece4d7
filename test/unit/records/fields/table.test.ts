import { formatPayloadKey, toRefField, Table } from '../../../../nodes/records';
import { formatFilterKey } from '../../../../nodes/records/fields/table';
import { type InputError } from '../../../../nodes/service';
import { parseField } from './fieldTools';

const createField = (slug: string, name: string, type: string, more: object = {}) =>
  parseField({ slug, name, type, ...more });

let table: Table;
beforeEach(() => {
  table = new Table('t1', [
    createField('company', 'Company', 'Text', { fieldId: 'f1' }),
    createField('who', 'Contact', 'Name', { fieldId: 'f2' }),
    createField('where', 'Place', 'Address'),
    createField('term', 'Term', 'Calendar'),
    createField('total', 'Total', 'Equation'),
  ]);
});

const catchError = (look: () => unknown): Pick<InputError, 'message' | 'description'> => {
  try {
    look();
  } catch (error) {
    const { message, description } = error as InputError;
    return { message, description };
  }
  throw new Error('it was found');
};

test('every table has created_at once, and it cannot be written', () => {
  const listSlugs = (one: Table) => one.fields.map(({ slug }) => slug);
  expect(listSlugs(table)).toEqual(['company', 'who', 'where', 'term', 'total', 'created_at']);
  expect(listSlugs(new Table('t2', table.fields))).toEqual(listSlugs(table));
  expect(table.writableFields.map(({ slug }) => slug)).toEqual(['company', 'who', 'where', 'term']);
  expect(table.requireField('created_at', 'Sort')).toEqual({
    slug: 'created_at',
    fieldId: 'created_at',
    name: 'Created At',
    type: 'Date-Time',
    kind: 'dateTime',
    description: 'When the record was created.',
    defaultValue: '',
    unique: false,
    isReadOnly: true,
    options: [],
  });
});

test('a field is found by slug and by id, for sorting not a part of it', () => {
  expect(table.requireField('company', 'Sort').slug).toBe('company');
  expect(table.requireField('f1', 'Sort').slug).toBe('company');
  expect(table.requireFilterRef('who-first', 'Filter')).toMatchObject({
    field: { slug: 'who' },
    part: { filter: 'first' },
  });
  expect(() => table.requireField('who-first', 'Sort')).toThrow('Sort: the table has no field "who-first"');
  expect(() => table.requireField('', 'Sort')).toThrow('Sort: the table has no field ""');
});

test('a whole field is also found by its name; a part and an unknown name are not', () => {
  const names = ['company', 'f1', 'Company', 'COMPANY', 'who[first_name]', 'Other'];
  expect(names.map((name) => table.findField(name)?.slug)).toEqual([
    'company',
    'company',
    'company',
    'company',
    undefined,
    undefined,
  ]);
});

test('a part has the same names in filters and payloads; a Calendar is filtered by its ends', () => {
  expect(table.requireFilterRef('where-city', 'Filter').part?.filter).toBe('city');
  expect(table.requireWritableRef('who[first_name]', 'Fields')).toMatchObject({ field: { slug: 'who' } });
  expect(table.requireWritableRef('term__start', 'Fields').part).toMatchObject({ payload: 'start' });
  for (const name of ['who-first', 'who[first_name]', 'who__first_name', 'who[first]']) {
    expect(formatFilterKey(table.requireFilterRef(name, 'Filter'))).toBe('who-first');
    expect(toRefField(table.requireWritableRef(name, 'Fields')).slug).toBe('who[first_name]');
  }
  expect(formatFilterKey(table.requireFilterRef('term__start', 'Filter'))).toBe('term-start');
  expect(formatFilterKey(table.requireFilterRef('Term: End', 'Filter'))).toBe('term-end');
  expect(catchError(() => table.requireFilterRef('term[all_day]', 'Filter'))).toEqual({
    message: 'Filter: the service cannot filter by "Term: All Day"',
    description: 'Filter by its start or its end. Nothing was sent.',
  });
});

test.each([
  ['company', 'company', 'company'],
  ['f1', 'company', 'company'],
  ['who', 'who', 'who'],
  ['who-last', 'who-last', 'who[last_name]'],
  ['f2[last_name]', 'who-last', 'who[last_name]'],
  ['f2-last', 'who-last', 'who[last_name]'],
  ['Place: City', 'where-city', 'where[city]'],
  ['term__start', 'term-start', 'term__start'],
  ['term[end]', 'term-end', 'term__end'],
])('%s is %s in filters and %s in payloads', (name, filterId, payloadKey) => {
  const ref = table.requireWritableRef(name, 'Fields');
  expect([formatFilterKey(ref), formatPayloadKey(ref)]).toEqual([filterId, payloadKey]);
});

test('a slug counts more than the ID of another field, and an ID more than a part', () => {
  const twins = new Table('t5', [
    createField('a', 'A', 'Name', { fieldId: 'b' }),
    createField('b', 'B', 'Text', { fieldId: 'a-first' }),
  ]);
  expect(twins.findRef('b')?.field.slug).toBe('b');
  expect(twins.findRef('a-first')?.field.slug).toBe('b');
});

// The fields of this table partly have no ID. An expression that found nothing gives an empty name.
test.each(['', ' ', 'company[undefined]', 'who[fax]'])('%j is no field', (name) =>
  expect(table.findRef(name)).toBeUndefined(),
);

test('a calculated field cannot be set', () => {
  for (const [slug, name] of [
    ['total', 'Total'],
    ['created_at', 'Created At'],
  ] as const) {
    expect(catchError(() => table.requireWritableRef(slug, 'Fields'))).toEqual({
      message: `Fields: "${name}" cannot be written: the service maintains its values`,
      description: 'Leave the field out.',
    });
  }
});

test('an unknown name may be a misspelled field or part', () => {
  const suggest = (look: () => unknown) => catchError(look).description.split(' The fields are')[0];
  expect(suggest(() => table.requireFilterRef('who-frist', 'Filter'))).toBe(
    'Did you mean "who[first_name]" or "who[last_name]"?',
  );
  expect(suggest(() => table.requireFilterRef('totl', 'Filter'))).toBe('Did you mean "Total"?');
  expect(suggest(() => table.requireField('compny', 'Sort'))).toBe('Did you mean "Company"?');
});
