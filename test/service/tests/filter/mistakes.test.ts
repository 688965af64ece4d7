import { listViolations } from '../client';
import { createItem, openThings } from './things';

let things: Awaited<ReturnType<typeof openThings>>;
beforeAll(async () => void (things = await openThings()));
afterAll(() => things.service.stop());
beforeEach(() => void (things.service.violations.length = 0));

describe('what fails silently', () => {
  const isA = createItem('key', 'is', 'a');

  test('an unknown field is dropped, under OR too', async () => {
    for (const name of ['nope', 'Text', 'who-nope', 'text-first', 'time__start']) {
      expect(await things.list({ condition: 'AND', items: [isA, createItem(name, 'is', 'x')] })).toBe('a');
      expect(await things.list({ condition: 'OR', items: [createItem(name, 'is', 'x')] })).toBe('abcde');
      expect(listViolations(things.service).at(-1)).toContain(`unknown field "${name}"`);
    }
  });

  const broken: [string, unknown][] = [
    ['value for val', { field_id: 'n', operator: 'is', value: 2 }],
    ['condition in an item', { field_id: 'n', condition: 'is', val: 2 }],
    ['the symbolic form', { field_id: 'n', condition: '=', value: 2 }],
    ['an operator of another kind', createItem('n', 'contains', '2')],
    ['between', createItem('n', 'between', '1,2')],
    ['no value', createItem('n', 'is')],
    ['text for a number', createItem('n', 'is', 'two')],
    ['another date layout', createItem('day', 'is', '15.06.2025')],
    ['a list as value', createItem('key', 'is', ['a'])],
    ['a user without token', createItem('link', 'is logged in user')],
  ];
  test.each(broken)('%s', async (_what, entry) => {
    expect(await things.list({ items: [entry] })).toBe('abcde');
    expect(listViolations(things.service)).toHaveLength(1);
    things.service.options.brokenFilter = 'matchesNothing';
    expect(await things.list({ items: [entry] })).toBe('');
    things.service.options.brokenFilter = 'dropped';
  });

  test('a value beside an operator without one is noted', async () => {
    expect(await things.list({ items: [createItem('n', 'is blank', '')] })).toBe('d');
    expect(listViolations(things.service)).toEqual([expect.stringContaining('to be omitted')]);
  });

  test('a list instead of a group', async () => {
    expect(await things.list([isA])).toBe('abcde');
    expect(listViolations(things.service)).toHaveLength(1);
  });
});
