import { judge, forgetLists, type Arrival } from '../../../nodes/RecordDatabaseTrigger/authenticity';
import {
  hashOf,
  isRefusal,
  readPost,
  type RecordChange,
} from '../../../nodes/RecordDatabaseTrigger/delivery';
import { Hook, isSameToken, leadsTo, leadsToPath, tokenIn } from '../../../nodes/RecordDatabaseTrigger/hook';
import { KEPT, Memory, memoryOf } from '../../../nodes/RecordDatabaseTrigger/memory';
import { itemOf, keepColumns, withDisplayNames } from '../../../nodes/RecordDatabaseTrigger/output';
import { isSameRecord } from '../../../nodes/RecordDatabaseTrigger/readBack';
import { listOf } from '../../../nodes/RecordDatabaseTrigger/settings';
import { readState, writeState } from '../../../nodes/RecordDatabaseTrigger/state';
import { planFor, type Wanted } from '../../../nodes/RecordDatabaseTrigger/subscriptions';
import { fieldFrom } from '../../../nodes/shared/model/fields';
import { fullFieldSchema, type Subscription } from '../../../nodes/shared/model/responses';
import { subscriptionsIn } from '../../../nodes/shared/model/subscription';

const identity = {
  instanceId: 'n8n',
  node: 'w1',
  baseUrl: 'https://db.example',
  appId: 'app',
  appSecret: 'secret',
};
const hook = new Hook(identity);
const URL_HERE = 'https://n8n.example/webhook/w1/webhook';
const row = (more: Partial<Subscription> = {}): Subscription => ({
  id: 's1',
  data_table_id: 't1',
  type: 'INSERT',
  hookUrl: hook.address(URL_HERE, 't1', 'INSERT'),
  platform: 'n8n',
  ...more,
});

describe('tokens', () => {
  test('differ by every part of the identity, by table and by event', () => {
    const others = Object.keys(identity)
      .filter((key) => key === 'instanceId' || key === 'node' || key === 'appSecret')
      .map((key) => new Hook({ ...identity, [key]: 'other' }).token('t1', 'INSERT'));
    const tokens = [
      hook.token('t1', 'INSERT'),
      hook.token('t2', 'INSERT'),
      hook.token('t1', 'UPDATE'),
      ...others,
    ];
    expect(new Set(tokens).size).toBe(6);
    expect(new Hook({ ...identity }).token('t1', 'INSERT')).toBe(tokens[0]);
  });

  test('table and event cannot run into each other', () => {
    expect(hook.token('a', 'b,c')).not.toBe(hook.token('a,b', 'c'));
  });

  test('without an App Secret none is right', () => {
    const open = new Hook({ ...identity, appSecret: '' });
    expect(open.isToken(open.token('t1', 'INSERT'), 't1', 'INSERT')).toBe(false);
  });

  test.each([
    ['a', 'a', true],
    ['a', 'b', false],
    ['', undefined, false],
    [undefined, undefined, true],
  ])('%p and %p: %p', (a, b, same) => expect(isSameToken(a, b)).toBe(same));

  test('are read from an address as the service may spell it', () => {
    expect(tokenIn('HTTPS://N8N.example/x?a=1&token=abc')).toBe('abc');
    expect(tokenIn('https://n8n.example/x')).toBeUndefined();
    expect(tokenIn('nowhere')).toBeUndefined();
    expect(leadsTo('HTTPS://N8N.example/x/?token=abc', 'https://n8n.example/x')).toBe(true);
    expect(leadsToPath('https://n8n.example/prefix/webhook/w1/webhook?t', '/webhook/w1/webhook/')).toBe(true);
    expect(leadsToPath('https://n8n.example/webhook-test/w1/webhook', '/webhook/w1/webhook')).toBe(false);
  });
});

describe('the diff', () => {
  const wanted: Wanted[] = ['INSERT', 'UPDATE'].map((event) => ({
    tableId: 't1',
    event: event as 'INSERT',
    hookUrl: 'x',
  }));

  test('keeps one of each, creates what is missing, removes what is left over', () => {
    const own = [
      row({ id: 'a' }),
      row({ id: 'b' }),
      row({ id: 'c', type: 'DELETE' }),
      row({ id: 'd', data_table_id: 't2' }),
    ];
    const { create, keep, remove } = planFor(wanted, own, () => true);
    expect(create).toEqual([wanted[1]]);
    expect(keep.map(({ id }) => id)).toEqual(['a']);
    expect(remove.map(({ id }) => id)).toEqual(['b', 'c', 'd']);
  });

  test('replaces what does not fit', () => {
    const plan = planFor(wanted.slice(0, 1), [row({ id: 'a' }), row({ id: 'b' })], ({ id }) => id === 'b');
    expect([plan.create, plan.keep[0]?.id, plan.remove[0]?.id]).toEqual([[], 'b', 'a']);
  });
});

test.each([
  [[row()], 1],
  [{ type: 'success', web_hooks: [row(), { id: 1 }, null, 'x'] }, 1],
  [{ items: [{ ...row(), type: 'insert', id: 7, extra: true }] }, 1],
  [{ items: [] }, 0],
  [{ type: 'success' }, undefined],
  ['page', undefined],
])('subscriptions in %j', (body, count) => {
  const found = subscriptionsIn(body);
  expect(found?.length).toBe(count);
  if (count) expect(found![0]).toMatchObject({ id: expect.any(String) as string, type: 'INSERT' });
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

describe('reading a POST', () => {
  const event = {
    event_type: 'UPDATE',
    table_id: 't1',
    table_name: 'T',
    record: { id: 5, a: 1 },
    timestamp: '2025-01-01T00:00:00Z',
  };
  const raw = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

  test('an event in full', () => {
    expect(readPost({ body: event, announcedBytes: 0 }, 100)).toEqual({
      event: 'UPDATE',
      tableId: 't1',
      tableName: 'T',
      recordId: '5',
      record: event.record,
      timestamp: event.timestamp,
    });
  });

  test('what n8n did not parse is read from the bytes', () => {
    expect(readPost({ body: {}, raw: raw(event), announcedBytes: 0 }, 1000)).toMatchObject({ recordId: '5' });
  });

  test.each([
    [99, 100, 400],
    [100, 0, 400],
    [101, 0, 413],
    [0, 101, 413],
  ])('%i bytes, %i announced: %i', (bytes, announcedBytes, status) => {
    const refusal = readPost({ body: null, raw: new Uint8Array(bytes), announcedBytes }, 100);
    expect(isRefusal(refusal) && refusal.status).toBe(status);
  });

  test('table name and timestamp may be missing', () => {
    const { table_name: _n, timestamp: _t, ...bare } = event;
    const change = readPost({ body: bare, announcedBytes: 0 }, 100) as RecordChange;
    expect([change.tableName, change.timestamp, hashOf(change, raw(bare))]).toEqual(['', '', undefined]);
  });

  test('every part of the event is part of its hash', () => {
    const change = readPost({ body: event, announcedBytes: 0 }, 100) as RecordChange;
    const variants: RecordChange[] = [
      change,
      { ...change, event: 'INSERT' },
      { ...change, tableId: 't2' },
      { ...change, recordId: '6' },
      { ...change, timestamp: '2' },
      { ...change, record: { id: 5, a: 2 } },
    ];
    expect(new Set(variants.map((one) => hashOf(one))).size).toBe(6);
    expect(hashOf(change, raw(1))).not.toBe(hashOf(change, raw(2)));
    expect(hashOf(change, raw(1))).toBe(hashOf({ ...change }, raw(1)));
  });
});

describe('authenticity', () => {
  const change = {
    event: 'INSERT',
    tableId: 't1',
    tableName: '',
    recordId: 'r',
    record: {},
    timestamp: '',
  } as const;
  const arrival = (more: Partial<Arrival> = {}): Arrival => ({
    change,
    token: undefined,
    path: '/webhook/w1/webhook',
    node: 'w1',
    dropsToken: false,
    isWanted: true,
    ...more,
  });
  let listed: Subscription[] | Error;
  let looks: number;
  const look = async () => {
    looks++;
    if (listed instanceof Error) throw listed;
    return listed;
  };
  beforeEach(() => {
    forgetLists('w1');
    listed = [];
    looks = 0;
  });
  const verdict = (more: Partial<Arrival>, now = 0) => judge(arrival(more), hook, look, now);

  test('the right token needs no list', async () => {
    expect(await verdict({ token: hook.token('t1', 'INSERT') })).toBe('genuine');
    expect(looks).toBe(0);
  });

  test('a table or event that nobody wants is not looked up', async () => {
    listed = [row({ hookUrl: URL_HERE })];
    expect(await verdict({ isWanted: false })).toBe('forged');
    expect(await verdict({ isWanted: false, dropsToken: true })).toBe('forged');
    expect(looks).toBe(0);
  });

  test('none at all is fine where it is known to be dropped, a wrong one never is', async () => {
    expect(await verdict({ dropsToken: true })).toBe('unchecked');
    expect(await verdict({ dropsToken: true, token: '' })).toBe('forged');
    expect(await verdict({ dropsToken: true, token: 'x' })).toBe('forged');
  });

  test.each([
    [{}, 'x', 'genuine'],
    [{ hookUrl: URL_HERE }, undefined, 'unchecked'],
    [{}, undefined, 'forged'],
    [{ hookUrl: URL_HERE }, '', 'forged'],
    [{ hookUrl: URL_HERE }, 'x', 'forged'],
    [{ type: 'UPDATE' }, 'x', 'forged'],
    [{ data_table_id: 't2' }, 'x', 'forged'],
    [{ hookUrl: `${URL_HERE}2?token=x` }, 'x', 'forged'],
  ])('listed %j, came with %p: %s', async (more, token, expected) => {
    listed = [row({ hookUrl: `${URL_HERE}?token=x`, ...more })];
    expect(await verdict({ token })).toBe(expected);
  });

  test('the list is read once a minute, after a failure sooner', async () => {
    await Promise.all([verdict({}), verdict({}), verdict({}, 59_999)]);
    expect(looks).toBe(1);
    await verdict({}, 60_000);
    expect(looks).toBe(2);
    forgetLists('w');
    await verdict({}, 60_001);
    expect(looks).toBe(2);
    forgetLists('w1');
    listed = new Error('down');
    await expect(verdict({}, 60_002)).rejects.toThrow('down');
    await expect(verdict({}, 65_001)).rejects.toThrow('down');
    expect(looks).toBe(3);
    listed = [];
    expect(await verdict({}, 65_002)).toBe('forged');
  });
});

describe('the output', () => {
  const field = (slug: string, name: string, type = 'Text') =>
    fieldFrom(fullFieldSchema.parse({ slug, name, type }));
  const fields = [
    field('who', 'Who', 'Connection'),
    field('name', 'Full Name', 'Name'),
    field('term', 'Term', 'Calendar'),
    field('name_val', 'Odd'),
  ];
  const record = {
    id: 'r',
    who: ['a'],
    who_val: [],
    'name[title]': 'Dr',
    term__start: 'x',
    name_val: 1,
    created_at: 'c',
    unknown: 2,
  };

  test('chosen fields bring along what belongs to them, and the id', () => {
    expect(keepColumns(record, ['who', 'name'], fields)).toEqual({
      id: 'r',
      who: ['a'],
      who_val: [],
      'name[title]': 'Dr',
    });
    expect(keepColumns(record, ['created_at', 'term'], fields)).toEqual({
      id: 'r',
      term__start: 'x',
      created_at: 'c',
    });
  });

  test('display names', () => {
    expect(withDisplayNames(record, fields)).toEqual({
      id: 'r',
      Who: ['a'],
      Who_val: [],
      'Full Name[title]': 'Dr',
      Term__start: 'x',
      Odd: 1,
      created_at: 'c',
      unknown: 2,
    });
  });

  test('both shapes say what was not checked', () => {
    const change = {
      event: 'INSERT',
      tableId: 't',
      tableName: 'T',
      recordId: 'r',
      record: {},
      timestamp: 's',
    } as const;
    expect(itemOf(change, { id: 'r' }, 'record', [])).toEqual({ id: 'r' });
    expect(itemOf(change, { id: 'r' }, 'record', ['token'])).toEqual({ id: 'r', _notChecked: ['token'] });
    expect(itemOf(change, { id: 'r' }, 'event', ['token'])).toEqual({
      event: 'INSERT',
      tableId: 't',
      tableName: 'T',
      record: { id: 'r' },
      timestamp: 's',
      _notChecked: ['token'],
    });
  });
});

test('created_at in any spelling', () => {
  const at = (created_at: unknown) => ({ created_at });
  expect(isSameRecord(at('2025-01-01 10:00:00'), at('2025-01-01T10:00:00.000Z'))).toBe(true);
  expect(isSameRecord(at('2025-01-01 10:00:00'), at('2025-01-01 10:00:01'))).toBe(false);
  expect([isSameRecord({}, at('x')), isSameRecord(at('x'), {})]).toEqual([true, true]);
});

test.each([
  ['a, b,a', ['a', 'b']],
  [
    [' a ', 'b'],
    ['a', 'b'],
  ],
  [undefined, []],
  ['', []],
  [5, ['5']],
])('list of %j', (value, expected) => expect(listOf(value)).toEqual(expected));
