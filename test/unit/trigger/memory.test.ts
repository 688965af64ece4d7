import { HOOKS, KEPT, Memory, memoryOf } from '../../../nodes/RecordDatabaseTrigger/memory';
import { readState, writeState } from '../../../nodes/RecordDatabaseTrigger/state';

describe('the memory', () => {
  test('is bounded, oldest first', () => {
    const memory = new Memory(3);
    for (const hash of ['a', 'b', 'c', 'd']) expect(memory.add(hash)).toBe(true);
    expect(memory.add('b')).toBe(false);
    expect(memory.add('a')).toBe(true);
  });

  test('gives only what was worked on to the end to the static data', () => {
    const memory = new Memory();
    memory.add('failed');
    for (let i = 0; i <= KEPT; i++) {
      memory.add(`${i}`);
      memory.keep(`${i}`);
    }
    memory.forget('failed');
    expect(memory.recent()).toHaveLength(KEPT);
    expect([memory.recent()[0], memory.recent().at(-1)]).toEqual(['1', `${KEPT}`]);
    expect(memory.add('failed')).toBe(true);
  });

  test('of one hook is not that of another; it takes over what the static data holds', () => {
    expect(memoryOf('hook 1', ['x']).add('x')).toBe(false);
    expect(memoryOf('hook 1', []).recent()).toEqual(['x']);
    expect(memoryOf('hook 2', []).add('x')).toBe(true);
  });
});

test('hooks are forgotten as well, the one that was quiet the longest first', () => {
  memoryOf('quiet', []).add('x');
  memoryOf('busy', []).add('x');
  for (let other = 2; other < HOOKS; other++) memoryOf(`other ${other}`, []);
  expect(memoryOf('busy', []).add('x')).toBe(false);
  memoryOf('one more', []);
  expect(memoryOf('busy', []).add('x')).toBe(false);
  expect(memoryOf('quiet', []).add('x')).toBe(true);
});

describe('the state', () => {
  test('comes back as it was written, and only to its owner', () => {
    const data = {};
    writeState(data, 'me', { ids: ['a'], seen: ['h1', 'h2'], dropsToken: true });
    writeState(data, 'me', { tables: ['t'] });
    expect(readState(data, 'me')).toEqual({
      ids: ['a'],
      tables: ['t'],
      addresses: [],
      dropsToken: true,
      fields: {},
      seen: ['h1', 'h2'],
    });
    expect(readState(data, 'you')).toEqual({ ...readState({}, 'you') });
  });

  test('deliveries that were never seen are none', () => {
    const data = {};
    writeState(data, 'me', { seen: [] });
    expect(readState(data, 'me').seen).toEqual([]);
  });

  test('whatever stands there is survived', () => {
    const odd = { owner: 'me', ids: 'x', tables: [1, 'a'], addresses: null, dropsToken: 'yes', seen: 3 };
    expect(readState(odd as never, 'me')).toMatchObject({
      ids: [],
      tables: ['a'],
      dropsToken: false,
      seen: [],
    });
  });
});
