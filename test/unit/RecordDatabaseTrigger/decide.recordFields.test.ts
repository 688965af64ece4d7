import { addMissingFields, hasField, toReadForm } from '../../../nodes/RecordDatabaseTrigger/decide';
import { createRecordShaper, keepColumns, Table } from '../../../nodes/records';
import { parseField } from '../records/fields/fieldTools';

describe('the output', () => {
  const createField = (slug: string, name: string, type = 'Text') => parseField({ slug, name, type });
  const fields = [
    createField('who', 'Who', 'Connection'),
    createField('name', 'Full Name', 'Name'),
    createField('term', 'Term', 'Calendar'),
    createField('name_val', 'Odd'),
  ];
  const nameKeys = (all: typeof fields) =>
    createRecordShaper({ simplified: false, displayNames: true }, new Table('t', all));
  const record = {
    id: 'r',
    who: ['a'],
    who_val: [],
    name: { title: 'Dr' },
    term: { start: 'x' },
    name_val: 1,
    created_at: 'c',
    unknown: 2,
  };

  test('chosen fields include their texts and the id', () => {
    expect(keepColumns(record, ['who', 'name'], fields)).toEqual({
      id: 'r',
      who: ['a'],
      who_val: [],
      name: { title: 'Dr' },
    });
    expect(keepColumns(record, ['created_at', 'term'], fields)).toEqual({
      id: 'r',
      term: { start: 'x' },
      created_at: 'c',
    });
  });

  test('a chosen field does not include a field whose slug begins with its slug', () => {
    const plain = [createField('name', 'Name'), createField('created_at', 'Made At')];
    const other = { id: 'r', 'name[title]': 1, name__start: 2, name_tag: 3, created_at: 'c' };
    expect(keepColumns(other, ['name'], plain)).toEqual({ id: 'r' });
    expect(nameKeys(plain)(other)).toEqual(other);
  });

  test('display names', () => {
    expect(nameKeys(fields)(record)).toEqual({
      id: 'r',
      Who: ['a'],
      Who_val: [],
      'Full Name': { title: 'Dr' },
      Term: { start: 'x' },
      Odd: 1,
      created_at: 'c',
      unknown: 2,
    });
  });
});

describe('fields that a delivery lacks', () => {
  const createField = (slug: string, type = 'Text') => parseField({ slug, name: slug, type });
  const table = new Table('t', [
    createField('a'),
    createField('name', 'Name'),
    createField('who', 'Connection'),
  ]);
  const first = table.resolveFilterField('name-first', '');

  test('are a part of a composite that others do not hold', () => {
    expect(hasField({ name: { first_name: '' } }, first)).toBe(true);
    expect(hasField({ name: { last_name: 'x' } }, first)).toBe(false);
    expect(hasField({ name: {} }, { table, field: first.field })).toBe(true);
    expect(hasField({ toString: 1 }, { table, field: createField('constructor') })).toBe(false);
  });

  test('are added from the record in its order, and delivered fields stay as they are', () => {
    const read = {
      id: 'r',
      auto_increment: 7,
      a: 'now',
      name: { first_name: 'B', last_name: 'C' },
      who: ['1'],
      who_val: [],
      x: 1,
    };
    const delivered = { y: 2, a: 'then', id: 'r' };
    expect(Object.entries(addMissingFields(delivered, read, table))).toEqual([
      ['id', 'r'],
      ['auto_increment', 7],
      ['a', 'then'],
      ['name', { first_name: 'B', last_name: 'C' }],
      ['who', ['1']],
      ['who_val', []],
      ['x', 1],
      ['y', 2],
    ]);
  });

  test.each<[string, unknown, unknown, unknown]>([
    ['an equal value has the form in which it was read', '12.0', 12, 12],
    ['another value is that of the event', '13', 12, '13'],
    ['a value that the kind does not read is left out', 'many', 12, 12],
  ])('%s', (_what, delivered, read, expected) => {
    const prices = new Table('t', [createField('price', 'Number')]);
    expect(addMissingFields({ price: delivered }, { price: read }, prices)).toEqual({ price: expected });
  });

  test('are parts of a composite, texts of connected records, and files, whose delivered form is not known', () => {
    const more = new Table('t', [...table.fields, createField('photo', 'File')]);
    const read = {
      name: { first_name: 'B', last_name: 'C' },
      who: ['1', '2'],
      who_val: [{ id: '2', val: 'Two' }],
      photo: { url: 'https://files.example/a' },
    };
    const delivered = { name: { first_name: 'A' }, who: ['2'], photo: '/A/1-a.jpg' };
    expect(addMissingFields(delivered, read, more)).toEqual({
      ...read,
      name: { first_name: 'A', last_name: 'C' },
      who: ['2'],
    });
  });
});

describe('the form of a delivered record', () => {
  const table = new Table(
    't',
    [
      ['price', 'Number'],
      ['paid', 'Decision Box'],
      ['tags', 'Multi-select'],
      ['who', 'Connection'],
      ['note', 'Text'],
      ['day', 'Date'],
    ].map(([slug, type]) => parseField({ slug, name: slug, type })),
  );

  test('is that of a record that was read: numbers and lists in place of texts, in the order of the table', () => {
    const delivered = {
      id: '5',
      tags: 'Leeds, UK',
      created_at: 'c',
      note: '7',
      paid: '1',
      price: '12.50',
      odd: '1',
    };
    expect(Object.entries(toReadForm(delivered, table))).toEqual([
      ['id', '5'],
      ['price', 12.5],
      ['created_at', 'c'],
      ['paid', 1],
      ['tags', ['Leeds, UK']],
      ['note', '7'],
      ['odd', '1'],
    ]);
  });

  test.each([
    [
      { price: '', tags: '', paid: '' },
      { price: '', tags: [], paid: 0 },
    ],
    // A form has no null.
    [{ day: '' }, { day: null }],
    [{ auto_increment: '7' }, { auto_increment: 7 }],
    [{ price: '12345678901234567890' }, { price: '12345678901234567890' }],
    [
      { price: 5, tags: ['a'], who: 'x' },
      { price: 5, tags: ['a'], who: 'x' },
    ],
  ])('%j becomes %j', (delivered, expected) => {
    expect(toReadForm(delivered, table)).toEqual(expected);
  });
});
