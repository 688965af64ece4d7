import { listViolations } from '../client';
import { createItem, openThings } from './things';

let things: Awaited<ReturnType<typeof openThings>>;
beforeAll(async () => void (things = await openThings()));
afterAll(() => things.service.stop());
beforeEach(() => void (things.service.violations.length = 0));

describe('symbolic form', () => {
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
    const value = things.value(val);
    expect(await things.search({ items: [{ field_id, condition, value }] })).toBe(expected);
    expect(listViolations(things.service)).toEqual([]);
    expect(things.service.requests.at(-1)?.pattern).toMatch(/\?_zmode=search$/);
  });

  test.each([
    ['text', '=', 'apple', 'b'],
    ['text', '!=', 'apple', 'acde'],
    ['text', '!=', 'APPLE', 'abcde'],
    ['tags', '=', 'y', 'b'],
    ['tags', '!=', 'y', 'acde'],
    ['link', '=', 'LINK1', 'b'],
    ['n', '=', 0, 'c'],
  ])('equality by the exact and whole value: %s %s %s', async (field_id, condition, val, expected) => {
    things.service.options.symbolicEquality = 'exact';
    const value = things.value(val);
    expect(await things.search({ items: [{ field_id, condition, value }] })).toBe(expected);
    things.service.options.symbolicEquality = 'is';
  });

  test('the primary form fails silently here', async () => {
    expect(await things.search({ items: [createItem('key', 'is', 'a')] })).toBe('abcde');
    expect(listViolations(things.service)).toHaveLength(1);
  });
});
