import { once } from 'lodash';
import { readSearchPage, findRecordsByWords } from '../../nodes/records';
import type { FieldDefinition } from '../service/data/field';
import { ClientEnvironment, getFilters } from './support';

/** The search of a record by words, and its labels. */

const env = new ClientEnvironment();
beforeAll(() => env.start({ perMinute: 100_000 }));
afterAll(() => env.stop());
afterEach(() => expect(env.service.violations).toEqual([]));

let count = 0;
/** A table with records, and a search in it. */
function open(fields: FieldDefinition[], ...records: object[]) {
  const table = env.service.addTable({ name: `Searched ${++count}`, fields });
  const ids = records.map((values) => table.insert({ ...values }).id);
  const client = env.createClient();
  const first = once(() => readSearchPage(client, table.id));
  const search = async (text: string, page?: number) =>
    findRecordsByWords(client, table.id, await first(), text, page);
  const find = async (text: string) => (await search(text)).entries;
  const label = async (text: string) => (await find(text)).map((entry) => entry.label);
  return { table, ids, find, label, search };
}

const PEOPLE: FieldDefinition[] = [
  { name: 'Notes', type: 'Long Text' },
  { name: 'Name', type: 'Name' },
  { name: 'Mail', type: 'Email' },
  { name: 'Company', type: 'Text' },
  { name: 'Phone', type: 'Phone' },
];

test.each<[object, string]>([
  [{ name: { first_name: 'Ada', last_name: 'Byron' }, mail: 'a@b.org' }, 'Ada Byron (a@b.org)'],
  [{ name: { first_name: 'Ada' }, company: ' ' }, 'Ada'],
  [{ company: 'x'.repeat(61) }, `${'x'.repeat(59)}…`],
  [{ company: 'x'.repeat(60) }, 'x'.repeat(60)],
  [{ name: { first_name: 'Ada' }, mail: 'a@b.org', company: 'Mill', phone: '1' }, 'Ada (a@b.org, Mill)'],
])('the label of %j has the first three short texts', async (values, text) => {
  const { label } = open(PEOPLE, values);
  expect(await label('')).toEqual([text]);
});

test('the label of a record without short texts is its ID, and equal labels have it added', async () => {
  const { label, ids } = open(PEOPLE, { notes: 'hidden' }, { company: 'Mill' }, { company: 'Mill' });
  const [only, one, other] = ids;
  expect(await label('')).toEqual([only, `Mill [${one}]`, `Mill [${other}]`]);
});

test('a table without short texts uses numbers and dates', async () => {
  const fields: FieldDefinition[] = [
    { name: 'Place', type: 'Address' },
    { name: 'Value', type: 'Number' },
    { name: 'Day', type: 'Date' },
  ];
  const { label } = open(fields, { value: 5, day: '2025-03-31' });
  expect(await label('')).toEqual([expect.stringMatching(/^5 \(2025-03-31, \d{4}-/)]);
});

test.each([
  ['byron ADA', true],
  [' Ada  BYRON\n', true],
  ['ada b@c', false],
  ['charles', false],
  // No word is found across two fields.
  ['byrona@b', false],
  ['', true],
])('whether a record matches %j: %s', async (text, expected) => {
  const values = { name: { first_name: 'Ada', last_name: 'Byron' }, mail: 'a@b.org' };
  const { find, ids } = open(PEOPLE, values);
  const found = (await find(text)).map(({ id }) => id);
  expect(found).toEqual(expected ? ids : []);
});

test('an ID alone is found among the records that were read', async () => {
  const { find, ids } = open(PEOPLE, { company: 'A' }, { company: 'B' });
  await find('');
  expect(await find(ids[0]!.toLowerCase())).toMatchObject([{ id: ids[0] }]);
  expect(await find(`${ids[0]} b`)).toEqual([]);
});

test('the service searches for each word in each field and part', async () => {
  const { find, table } = open(PEOPLE, ...Array.from({ length: 120 }, (_, n) => ({ company: `Mill ${n}` })));
  const contains = (field_id: string, val: string) => ({ field_id, operator: 'contains', val });
  const names = ['name-title', 'name-first', 'name-middle', 'name-last', 'mail', 'company'];
  expect(await find('')).toHaveLength(100);
  const requests = await env.record(async () => expect(await find('mill 119')).toHaveLength(1));
  const lists = requests.filter(({ path }) => path.includes(table.id) && path.endsWith('/records'));
  expect(lists.map((request) => getFilters(request))).toEqual([
    {
      condition: 'AND',
      items: [],
      child: ['mill', '119'].map((word) => ({
        condition: 'OR',
        items: names.map((name) => contains(name, word)),
        child: [],
      })),
    },
  ]);
});

test('a search sends no request in a table whose records are all in the first page', async () => {
  const { find } = open(PEOPLE, { company: 'Mill' }, { company: 'Milton' }, { company: 'Bay' });
  expect(await find('')).toHaveLength(3);
  const requests = await env.record(async () => {
    expect(await find('mil')).toHaveLength(2);
    expect(await find('bay')).toHaveLength(1);
  });
  expect(requests).toEqual([]);
});

test('pages have 100 records', async () => {
  const { search } = open(PEOPLE, ...Array.from({ length: 150 }, (_, n) => ({ company: `c${n}` })));
  const first = await search('');
  const second = await search('', 2);
  expect([first.entries.length, first.hasMore, second.entries.length, second.hasMore]).toEqual([
    100,
    true,
    50,
    false,
  ]);
});

test('nothing is searched where the service cannot search the fields', async () => {
  const { find } = open([{ name: 'Value', type: 'Number' }], { value: 123456 }, { value: 7 });
  const requests = await env.record(async () => expect(await find('123456')).toHaveLength(1));
  expect(requests.map((request) => getFilters(request))).not.toContainEqual(expect.anything());
});
