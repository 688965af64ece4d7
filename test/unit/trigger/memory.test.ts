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

  test('joins the static data that other deliveries saved, each hash once and no more than the latest', () => {
    const memory = memoryOf('joined', ['a']);
    memory.add('b');
    memory.keep('b');
    expect(memoryOf('joined', ['a', 'c']).recent()).toEqual(['a', 'b', 'c']);
    const many = Array.from({ length: KEPT }, (_, index) => `${index}`);
    expect(memoryOf('joined', many).recent()).toEqual(many);
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

test('a hook that was forgotten comes back with what its static data holds', () => {
  memoryOf('back', []).add('under way');
  for (let other = 0; other < HOOKS; other++) memoryOf(`newer ${other}`, []);
  const memory = memoryOf('back', ['saved']);
  expect([memory.add('under way'), memory.add('saved')]).toEqual([true, false]);
});

describe('the state', () => {
  test('comes back as it was written, and only to its owner', () => {
    const data = {};
    const fields = { t: [] };
    writeState(data, 'me', { ids: ['a'], fields, seen: ['h1', 'h2'], dropsToken: true });
    writeState(data, 'me', { tables: ['t'] });
    expect(readState(data, 'me')).toEqual({
      ids: ['a'],
      tables: ['t'],
      addresses: [],
      dropsToken: true,
      fields,
      seen: ['h1', 'h2'],
    });
    expect(readState(data, 'you')).toEqual({ ...readState({}, 'you') });
  });

  test("another owner's notes go with the first note of this one", () => {
    const data = {};
    writeState(data, 'them', { ids: ['a'], addresses: ['https://n8n.example'], seen: ['h'] });
    writeState(data, 'me', { tables: ['t'] });
    expect(readState(data, 'me')).toEqual({ ...readState({}, 'me'), tables: ['t'] });
    expect(readState(data, 'them')).toEqual(readState({}, 'them'));
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
