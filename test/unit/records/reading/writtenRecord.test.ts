import { omit } from 'lodash';
import { type PayloadEntries, Table } from '../../../../nodes/records';
import { buildWrittenRecord } from '../../../../nodes/records/reading/writtenRecord';
import { parseField } from '../fields/fieldTools';

const createField = (slug: string, type: string, join?: object) =>
  parseField({ slug, fieldId: `f_${slug}`, name: slug, type, join });

const table = new Table('t1', [
  createField('title', 'Text'),
  createField('person', 'Name'),
  createField('customer', 'Connection', { join_type: '1-to-1' }),
  createField('products', 'Connection', { join_type: '1-to-N' }),
  createField('doc', 'File'),
  createField('total', 'Formula'),
  createField('constructor', 'Text'),
]);

const describeRecord = (entries: PayloadEntries, before?: object, shown?: object) =>
  Object.entries(buildWrittenRecord({ table, id: 'r1', entries, before: before && { ...before }, shown }));

test('a new record has its ID and the values that were sent, in the order of the fields', () => {
  const entries: PayloadEntries = [
    ['products', ['p1', 'p2']],
    ['person[last_name]', 'King'],
    ['customer', 'c1'],
    ['constructor', 'x'],
    ['person[first_name]', 'Ada'],
    ['title', 'A'],
    ['doc', [{ fileName: 'a.txt', mimeType: 'text/plain', data: Buffer.from('a') }]],
  ];
  expect(describeRecord(entries)).toEqual([
    ['id', 'r1'],
    ['title', 'A'],
    ['person', { last_name: 'King', first_name: 'Ada' }],
    ['customer', ['c1']],
    ['products', ['p1', 'p2']],
    ['constructor', 'x'],
  ]);
});

test('what the answer shows counts more than what was sent', () => {
  const shown = { id: 'r1', title: 'a', total: 3, created_at: '2025-03-31 10:00:00' };
  expect(describeRecord([['title', 'A'], ['constructor', 'x']], undefined, shown)).toEqual([
    ...Object.entries(shown),
    ['constructor', 'x'],
  ]); // prettier-ignore
});

const BEFORE = {
  id: 'r1',
  auto_increment: 7,
  created_at: '2025-03-31 10:00:00',
  title: 'A',
  person: { first_name: 'Ada', last_name: 'King' },
  customer: ['c1'],
  customer_val: [{ id: 'c1', val: 'Acme' }],
  products: ['p1', 'p2'],
  products_val: [
    { id: 'p1', val: 'Lamp' },
    { id: 'p2', val: 'Desk' },
  ],
  doc: ['https://files.example/a.pdf'],
  total: 3,
};
const KNOWN = omit(BEFORE, 'total');

test('an updated record is as it was read, without calculated values', () => {
  expect(describeRecord([['title', 'B']], BEFORE)).toEqual(Object.entries({ ...KNOWN, title: 'B' }));
  expect(describeRecord([['title', 'B']], BEFORE, { total: 4 })).toEqual([
    ...Object.entries({ ...KNOWN, title: 'B' }),
    ['total', 4],
  ]);
});

test('a part of a composite is replaced, the other parts stay', () => {
  const person = { first_name: 'Eve', last_name: 'King' };
  expect(describeRecord([['person[first_name]', 'Eve']], BEFORE)).toEqual(
    Object.entries({ ...KNOWN, person }),
  );
});

test('texts of connections stay for the records that stay', () => {
  const values = Object.fromEntries(describeRecord([['products', ['p2', 'p3']], ['customer', '']], BEFORE)); // prettier-ignore
  expect(values).toMatchObject({
    customer: [],
    customer_val: [],
    products: ['p2', 'p3'],
    products_val: [{ id: 'p2', val: 'Desk' }],
  });
});

test('a file that was replaced is not shown', () => {
  const doc = [{ fileName: 'a.txt', mimeType: 'text/plain', data: Buffer.from('a') }];
  expect(Object.fromEntries(describeRecord([['doc', doc]], BEFORE))).not.toHaveProperty('doc');
});
