import { listViolations } from '../client';
import { createItem, openThings } from './things';

let things: Awaited<ReturnType<typeof openThings>>;
beforeAll(async () => void (things = await openThings()));
afterAll(() => things.service.stop());
beforeEach(() => void (things.service.violations.length = 0));

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
    ['time', 'is before today', undefined, ''],
    ['time', 'is after today', undefined, ''],
    ['box', 'is checked', undefined, 'ac'],
    ['box', 'is unchecked', undefined, 'bde'],
    ['tags', 'is', 'y', 'ab'],
    ['tags', 'is not', 'x', 'bcde'],
    ['tags', 'contains', 'x', 'a'],
    ['tags', 'is blank', undefined, 'cde'],
    ['boxes', 'is checked', undefined, 'b'],
    ['boxes', 'is unchecked', undefined, 'acde'],
    ['boxes', 'is', 'X', 'b'],
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
    expect(await things.list({ items: [createItem(field, operator, things.value(val))] })).toBe(expected);
    expect(listViolations(things.service)).toEqual([]);
  });

  test('a field id, also with a suffix, names the field too', async () => {
    const getFieldId = (slug: string) => things.service.getTable('Things').findField(slug)?.fieldId;
    expect(await things.list({ items: [createItem(`${getFieldId('who')}-first`, 'is', 'ann')] })).toBe('a');
    expect(await things.list({ items: [createItem(`${getFieldId('n')}`, 'is', 2)] })).toBe('b');
    expect(listViolations(things.service)).toEqual([]);
  });
});

describe('groups', () => {
  const [isA, isB, isC] = ['a', 'b', 'c'].map((key) => createItem('key', 'is', key));
  const box = createItem('box', 'is checked');

  test.each([
    ['AND', [isA, box], 'a'],
    ['all', [isB, box], ''],
    ['OR', [isB, box], 'abc'],
    ['any', [isA, isB], 'ab'],
  ])('%s', async (condition, items, expected) => {
    expect(await things.list({ condition, items })).toBe(expected);
  });

  test('children nest', async () => {
    const child = [{ condition: 'OR', items: [isA, isB], child: [{ condition: 'AND', items: [isC, box] }] }];
    expect(await things.list({ condition: 'AND', items: [box], child })).toBe('ac');
    expect(listViolations(things.service)).toEqual([]);
  });

  test('no filter at all lists everything', async () => {
    expect(await things.list({ condition: 'OR', items: [], child: [{ items: [] }] })).toBe('abcde');
  });
});

test('GET form', async () => {
  const items = [createItem('box', 'is checked'), createItem('n', 'higher than', '0')];
  const params = new URLSearchParams(
    items.flatMap((entry, i) =>
      Object.entries(entry).flatMap(([key, value]) =>
        value === undefined ? [] : [[`filters[items][${i}][${key}]`, String(value)] as [string, string]],
      ),
    ),
  );
  const { data } = await things.api.get(`${things.url}?${params.toString()}`);
  expect([things.keys(data), data.total_items]).toEqual(['a', 1]);
  expect(listViolations(things.service)).toEqual([]);
});

// The service's clock shows 08:00 in New York. "At" of row a is 08:00 the day before.
test.each([
  ['own', 'a'],
  ['utc', 'ab'],
  ['timeOfDay', ''],
] as const)('"is before current time" as %s', async (currentTime, expected) => {
  Object.assign(things.service.options, { timeZone: 'America/New_York', currentTime });
  expect(await things.list({ items: [createItem('at', 'is before current time')] })).toBe(expected);
  Object.assign(things.service.options, { timeZone: 'UTC', currentTime: 'own' });
});
