import { getFieldOrPartValue, Table } from '../../../../nodes/records';
import { getFieldValue } from '../../../../nodes/records/fields/recordValues';
import { listFieldKeys, getCanonicalValue } from '../../../../nodes/records/fields/recordValues';
import { parseField } from './fieldTools';

const createTable = (...fields: Array<[slug: string, type: string]>) =>
  new Table(
    't',
    fields.map(([slug, type]) => parseField({ slug, name: slug, type })),
  );

/** A table in which some slugs look like the keys of another field. */
const createTwins = () =>
  createTable(['boss', 'Connection'], ['boss_val', 'Text'], ['x', 'Name'], ['x-first', 'Text']);

let table: Table;
beforeEach(() => {
  table = createTable(
    ['label', 'Text'],
    ['price', 'Number'],
    ['who', 'Connection'],
    ['person', 'Name'],
    ['term', 'Calendar'],
  );
});

const ADA = [{ id: 'a', val: 'Ada' }];

describe('the keys of a field', () => {
  test.each<[string, Record<string, unknown>, string[]]>([
    ['label', { id: 'r', label: 'x', price: 1 }, ['label']],
    ['label', { id: 'r' }, []],
    // Only a connection has display values.
    ['label', { label: 'x', label_val: 'y' }, ['label']],
    ['label', { label: 'x', 'label[undefined]': 'y' }, ['label']],
    ['who', { who: ['a'], who_val: ADA }, ['who', 'who_val']],
    ['who', { who_val: ADA }, ['who_val']],
    ['person', { person: null, 'person[first_name]': 'A', person_val: 1 }, ['person']],
  ])('%s in %j are %j', (slug, record, keys) => {
    expect(listFieldKeys(record, { table, field: table.requireField(slug, 'Test') })).toEqual(keys);
  });

  test('are not those of a field with such a slug', () => {
    const twins = createTwins();
    const record = { boss: ['a'], boss_val: 'x', x: { last: 'z' }, 'x-first': 'y' };
    const list = (slug: string) =>
      listFieldKeys(record, { table: twins, field: twins.requireField(slug, 'Test') });
    expect(['boss', 'boss_val', 'x', 'x-first'].map(list)).toEqual([
      ['boss'],
      ['boss_val'],
      ['x'],
      ['x-first'],
    ]);
  });
});

describe('the value of a field', () => {
  test.each<[string, Record<string, unknown>, unknown]>([
    ['label', { label: 'x', label_val: 'y' }, 'x'],
    ['label', { label_val: 'y' }, undefined],
    ['who', { who: ['a'], who_val: ADA }, ['a']],
    ['who', { who: null, who_val: ADA }, null],
    ['who', { who_val: ADA }, ADA],
    ['who', { id: 'r' }, undefined],
    ['person', { person: { first_name: 'A' } }, { first_name: 'A' }],
    ['person', { person: 'A C' }, 'A C'],
    ['person', { 'person[first_name]': 'A' }, undefined],
  ])('%s in %j is %j', (slug, record, value) => {
    expect(getFieldValue(record, { table, field: table.requireField(slug, 'Test') })).toEqual(value);
  });

  // Every object inherits a property with this name.
  test('is not inherited', () => {
    const inherited = createTable(['constructor', 'Text']);
    const ref = { table: inherited, field: inherited.requireField('constructor', 'Test') };
    expect(getFieldValue({}, ref)).toBeUndefined();
    expect(getFieldValue({ constructor: 'x' }, ref)).toBe('x');
  });
});

test.each<[string, Record<string, unknown>, unknown]>([
  ['price', { price: '7.5' }, '7.5'],
  ['person-first', { person: { first: 'A', last: 'B' } }, 'A'],
  ['person-first', { person: '{"first_name": "A"}' }, 'A'],
  ['person-first', { person: { last_name: 'B' } }, undefined],
  ['person-first', { person: { first_name: undefined } }, null],
  ['person-first', { person: 'A B' }, undefined],
  ['person-first', { person: null }, null],
  ['person-first', { id: 'r' }, undefined],
  ['term__end', { term: { start: 'x', end: 'y' } }, 'y'],
])('the raw value of %s in %j is %j', (name, record, value) => {
  expect(getFieldOrPartValue(record, table.findRef(name)!)).toEqual(value);
});

test.each<[string, Record<string, unknown>, unknown]>([
  ['price', { price: '7.5' }, 7.5],
  ['person', { person: { first_name: 'Ada' } }, { first_name: 'Ada' }],
  ['person-first', { person: { first_name: 5 } }, '5'],
  ['term__end', { term: { end: '2025-03-31T08:00:00Z' } }, '2025-03-31 08:00:00'],
  ['who', { who_val: ADA }, ['a']],
])('the value of %s in %j is read as %j', (name, record, value) => {
  expect(getCanonicalValue(record, table.findRef(name)!)).toEqual(value);
});
