import { judge, forgetLists, type Arrival } from '../../../nodes/RecordDatabaseTrigger/authenticity';
import type { Subscription } from '../../../nodes/shared/model/responses';
import { hook, row, URL_HERE } from './identity';

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

  test('with each reading the lists of other tables that are too old go, and no others', async () => {
    const of = (tableId: string, now: number) => verdict({ change: { ...change, tableId } }, now);
    await of('old', 0);
    await of('young', 1);
    await of('new', 60_000);
    expect(looks).toBe(3);
    await of('young', 60_000);
    expect(looks).toBe(3);
    // By a clock put back, for nothing else shows it: an old list that was still held would be believed again.
    await of('old', 59_999);
    expect(looks).toBe(4);
  });
});
