import { ManualClock, messages, open } from './client';

type Opened = Awaited<ReturnType<typeof open>>;
let { service, api, at }: Opened = {} as Opened;
/** Six hand-made rows; `clock` stands at noon of the 15th. */
const ROWS = [
  {
    key: 'a',
    text: 'Apple pie',
    n: 1,
    box: 1,
    day: '2025-06-14',
    at: '2025-06-14 08:00:00',
    time: '08:00:00',
  },
  { key: 'b', text: 'apple', n: 2, box: 0, day: '2025-06-15', at: '2025-06-15 11:59:59', time: '11:59:59' },
  { key: 'c', text: 'Banana', n: 0, box: 1, day: '2025-06-16', at: '2025-06-15 12:00:01', time: '12:00:01' },
  { key: 'd', text: '', n: null, box: 0, day: null, at: null, time: null },
  { key: 'e', text: '10%', n: -5.5, box: 0, day: '2024-12-31', at: '2025-06-15 23:59:59', time: '00:00:00' },
];
const PEOPLE = { title: 'Dr', first_name: 'Ann', middle_name: 'Q', last_name: 'Lee' };
const PLACE = {
  address: '1 A St',
  address2: 'Flat 2',
  city: 'Northtown',
  state: 'ND',
  zip: '10001',
  country: 'X',
};

beforeAll(async () => {
  ({ service, api, at } = await open({ sample: 'empty', clock: new ManualClock() }));
  const target = service.addTable({ name: 'Targets', fields: [{ name: 'Label', type: 'Text' }] });
  const table = service.addTable({
    name: 'Things',
    fields: [
      { name: 'Key', type: 'Text' },
      { name: 'Text', type: 'Text' },
      { name: 'N', type: 'Number' },
      { name: 'Box', type: 'Decision Box' },
      { name: 'Day', type: 'Date' },
      { name: 'At', type: 'Date-Time' },
      { name: 'Time', type: 'Time' },
      { name: 'Tags', type: 'Multi-select', options: ['x', 'y', 'z'] },
      { name: 'Who', type: 'Name' },
      { name: 'Where', type: 'Address' },
      { name: 'Link', type: 'Connection', to: 'Targets' },
    ],
  });
  const [one, two] = [target.insert({ label: 'Target One' }), target.insert({ label: 'Target Two' })];
  links.push(one.id, two.id);
  ROWS.forEach((row, i) =>
    table.insert({
      ...row,
      ...(i === 0 && { who: PEOPLE, where: PLACE, tags: ['x', 'y'], link: [one.id, two.id] }),
      ...(i === 1 && { tags: ['y'], link: [two.id] }),
    }),
  );
});
afterAll(() => service.stop());
beforeEach(() => void (service.violations.length = 0));
const links: string[] = [];

const url = () => `${at('Things')}/records`;
const keys = (data: { items: { key: string }[] }) => data.items.map(({ key }) => key).join('');
const item = (field_id: string, operator: string, val?: unknown) => ({ field_id, operator, val });
const list = async (filters: unknown) => keys((await api.post(url(), { filters })).data);

describe('operators of the primary form', () => {
  test.each([
    ['text', 'is', 'APPLE', 'b'],
    ['text', 'is exact', 'Apple', ''],
    ['text', 'is exact', 'apple', 'b'],
    ['text', 'is not', 'APPLE', 'acde'],
    ['text', 'is not exact', 'Apple', 'abcde'],
    ['text', 'contains', 'PLE', 'ab'],
    ['text', 'contains', '%', 'e'],
    ['text', 'does not contain', 'ple', 'cde'],
    ['text', 'starts with', 'apple', 'ab'],
    ['text', 'ends with', 'PIE', 'a'],
    ['text', 'is blank', undefined, 'd'],
    ['text', 'is not blank', undefined, 'abce'],
    ['n', 'is', 0, 'c'],
    ['n', 'is', '2', 'b'],
    ['n', 'is not', 2, 'acde'],
    ['n', 'higher than', 1, 'b'],
    ['n', 'higher than or equal to', 1, 'ab'],
    ['n', 'lower than', 0, 'e'],
    ['n', 'lower than or equal to', 0, 'ce'],
    ['n', 'is blank', undefined, 'd'],
    ['n', 'is not blank', undefined, 'abce'],
    ['day', 'is', '2025-06-15', 'b'],
    ['day', 'is not', '2025-06-15', 'acde'],
    ['day', 'is before', '2025-06-14', 'e'],
    ['day', 'is on or before', '2025-06-14', 'ae'],
    ['day', 'is after', '2025-06-15', 'c'],
    ['day', 'is on or after', '2025-06-15', 'bc'],
    ['day', 'is before today', undefined, 'ae'],
    ['day', 'is after today', undefined, 'c'],
    ['day', 'is before current time', undefined, 'abe'],
    ['day', 'is after current time', undefined, 'c'],
    ['day', 'is blank', undefined, 'd'],
    ['day', 'is not blank', undefined, 'abce'],
    ['at', 'is', '2025-06-15', 'bce'],
    ['at', 'is', '2025-06-15 12:00:01', 'c'],
    ['at', 'is on or before', '2025-06-14', 'a'],
    ['at', 'is after', '2025-06-15', ''],
    ['at', 'is after', '2025-06-15 12:00:00', 'ce'],
    ['at', 'is before today', undefined, 'a'],
    ['at', 'is before current time', undefined, 'ab'],
    ['at', 'is after current time', undefined, 'ce'],
    ['time', 'is before', '11:59:59', 'ae'],
    ['time', 'is on or after', '12:00:01', 'c'],
    ['time', 'is after current time', undefined, 'c'],
    ['time', 'is before current time', undefined, 'abe'],
    ['box', 'is checked', undefined, 'ac'],
    ['box', 'is unchecked', undefined, 'bde'],
    ['tags', 'is', 'y', 'ab'],
    ['tags', 'is not', 'x', 'bcde'],
    ['tags', 'contains', 'x', 'a'],
    ['tags', 'is blank', undefined, 'cde'],
    ['link', 'is', 'LINK0', 'a'],
    ['link', 'is not', 'LINK0', 'bcde'],
    ['link', 'contains', 'target two', 'ab'],
    ['link', 'is blank', undefined, 'cde'],
    ['link', 'is not blank', undefined, 'ab'],
    ['link', 'is connected with current record', 'LINK1', 'ab'],
    ['link', "is connected with current record's field", undefined, ''],
    ['who-title', 'is', 'dr', 'a'],
    ['who-first', 'starts with', 'a', 'a'],
    ['who-middle', 'is', 'q', 'a'],
    ['who-last', 'is not blank', undefined, 'a'],
    ['who', 'contains', 'ann q', 'a'],
    ['where-address', 'contains', 'a st', 'a'],
    ['where-address2', 'is', 'flat 2', 'a'],
    ['where-city', 'is', 'northtown', 'a'],
    ['where-state', 'is', 'ND', 'a'],
    ['where-zip', 'is not', '10001', 'bcde'],
    ['where-country', 'is exact', 'X', 'a'],
  ])('%s %s %s', async (field, operator, val, expected) => {
    const value = typeof val === 'string' && val.startsWith('LINK') ? links[Number(val.slice(4))] : val;
    expect(await list({ items: [item(field, operator, value)] })).toBe(expected);
    expect(messages(service)).toEqual([]);
  });

  test('a field id, also with a suffix, names the field too', async () => {
    const id = (slug: string) => service.table('Things').field(slug)?.fieldId;
    expect(await list({ items: [item(`${id('who')}-first`, 'is', 'ann')] })).toBe('a');
    expect(await list({ items: [item(`${id('n')}`, 'is', 2)] })).toBe('b');
    expect(messages(service)).toEqual([]);
  });
});

describe('groups', () => {
  const [isA, isB, isC] = ['a', 'b', 'c'].map((key) => item('key', 'is', key));
  const box = item('box', 'is checked');

  test.each([
    ['AND', [isA, box], 'a'],
    ['all', [isB, box], ''],
    ['OR', [isB, box], 'abc'],
    ['any', [isA, isB], 'ab'],
  ])('%s', async (condition, items, expected) => {
    expect(await list({ condition, items })).toBe(expected);
  });

  test('children nest', async () => {
    const child = [{ condition: 'OR', items: [isA, isB], child: [{ condition: 'AND', items: [isC, box] }] }];
    expect(await list({ condition: 'AND', items: [box], child })).toBe('ac');
    expect(messages(service)).toEqual([]);
  });

  test('no filter at all lists everything', async () => {
    expect(await list({ condition: 'OR', items: [], child: [{ items: [] }] })).toBe('abcde');
  });
});

describe('what fails silently', () => {
  const isA = item('key', 'is', 'a');

  test('an unknown field is dropped, under OR too', async () => {
    for (const name of ['nope', 'Text', 'who-nope', 'text-first', 'time__start']) {
      expect(await list({ condition: 'AND', items: [isA, item(name, 'is', 'x')] })).toBe('a');
      expect(await list({ condition: 'OR', items: [item(name, 'is', 'x')] })).toBe('abcde');
      expect(messages(service).at(-1)).toContain(`unknown field "${name}"`);
    }
  });

  const broken: [string, unknown][] = [
    ['value for val', { field_id: 'n', operator: 'is', value: 2 }],
    ['condition in an item', { field_id: 'n', condition: 'is', val: 2 }],
    ['the symbolic form', { field_id: 'n', condition: '=', value: 2 }],
    ['an operator of another kind', item('n', 'contains', '2')],
    ['between', item('n', 'between', '1,2')],
    ['no value', item('n', 'is')],
    ['text for a number', item('n', 'is', 'two')],
    ['another date layout', item('day', 'is', '15.06.2025')],
    ['a list as value', item('key', 'is', ['a'])],
    ['today for a time', item('time', 'is before today')],
    ['a user without token', item('link', 'is logged in user')],
  ];
  test.each(broken)('%s', async (_what, entry) => {
    expect(await list({ items: [entry] })).toBe('abcde');
    expect(messages(service)).toHaveLength(1);
    service.options.brokenFilter = 'matchesNothing';
    expect(await list({ items: [entry] })).toBe('');
    service.options.brokenFilter = 'dropped';
  });

  test('a value beside an operator without one is noted', async () => {
    expect(await list({ items: [item('n', 'is blank', '')] })).toBe('d');
    expect(messages(service)).toEqual([expect.stringContaining('to be omitted')]);
  });

  test('a list instead of a group', async () => {
    expect(await list([isA])).toBe('abcde');
    expect(messages(service)).toHaveLength(1);
  });
});

test('GET form', async () => {
  const items = [item('box', 'is checked'), item('n', 'higher than', '0')];
  const params = new URLSearchParams(
    items.flatMap((entry, i) =>
      Object.entries(entry).flatMap(([key, value]) =>
        value === undefined ? [] : [[`filters[items][${i}][${key}]`, String(value)] as [string, string]],
      ),
    ),
  );
  const { data } = await api.get(`${url()}?${params.toString()}`);
  expect([keys(data), data.total_items]).toEqual(['a', 1]);
  expect(messages(service)).toEqual([]);
});

describe('symbolic form', () => {
  const search = async (filters: unknown) =>
    keys((await api.post(`${url()}?_zmode=search`, { filters })).data);

  test.each([
    ['text', '=', 'APPLE', 'b'],
    ['text', '!=', 'apple', 'acde'],
    ['text', 'contains', 'ple', 'ab'],
    ['text', 'startswith', 'ban', 'c'],
    ['text', 'is_blank', '', 'd'],
    ['text', 'not_blank', undefined, 'abce'],
    ['text', '>', 'apple', 'ac'],
    ['text', '<=', 'apple', 'bde'],
    ['n', '=', 0, 'c'],
    ['n', '!=', 0, 'abde'],
    ['n', '>', 0, 'ab'],
    ['n', '>=', 1, 'ab'],
    ['n', '<', 0, 'e'],
    ['n', '<=', '0', 'ce'],
    ['n', 'startswith', '-5', 'e'],
    ['day', '=', '2025-06-15', 'b'],
    ['day', '<', '2025-06-15', 'ae'],
    ['at', '>=', '2025-06-15', 'bce'],
    ['time', '>', '11:59:59', 'c'],
    ['box', '=', 1, 'ac'],
    ['box', '!=', '1', 'bde'],
    ['link', '=', 'LINK1', 'ab'],
    ['link', 'is_blank', undefined, 'cde'],
    ['who-first', '=', 'ann', 'a'],
  ])('%s %s %s', async (field_id, condition, val, expected) => {
    const value = val === 'LINK1' ? links[1] : val;
    expect(await search({ items: [{ field_id, condition, value }] })).toBe(expected);
    expect(messages(service)).toEqual([]);
    expect(service.requests.at(-1)?.pattern).toMatch(/\?_zmode=search$/);
  });

  test('the primary form fails silently here', async () => {
    expect(await search({ items: [item('key', 'is', 'a')] })).toBe('abcde');
    expect(messages(service)).toHaveLength(1);
  });
});
