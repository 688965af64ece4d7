import { decodeDelivery, Table } from '../../../../nodes/records';
import { parseField } from '../fields/fieldTools';

describe('fields that a delivery lacks', () => {
  const createField = (slug: string, type = 'Text') => parseField({ slug, name: slug, type });
  const table = new Table('t', [
    createField('a'),
    createField('name', 'Name'),
    createField('who', 'Connection'),
  ]);

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
    expect(Object.entries(decodeDelivery(delivered, table, { read, keepsForm: true }))).toEqual([
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
    expect(decodeDelivery({ price: delivered }, prices, { read: { price: read }, keepsForm: true })).toEqual({
      price: expected,
    });
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
    expect(decodeDelivery(delivered, more, { read, keepsForm: true })).toEqual({
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
    expect(Object.entries(decodeDelivery(delivered, table))).toEqual([
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
    expect(decodeDelivery(delivered, table)).toEqual(expected);
  });
});
