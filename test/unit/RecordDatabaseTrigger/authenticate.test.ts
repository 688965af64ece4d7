import {
  type AuthenticationInput,
  authenticate,
  clearSubscriptionLists,
} from '../../../nodes/RecordDatabaseTrigger/authenticate';
import { RECORD_EVENTS } from '../../../nodes/RecordDatabaseTrigger/staticData';
import { type Subscription } from '../../../nodes/service';
import { WEBHOOK_URL, createSubscription, webhookIdentity } from './identity';

const NO_NOTES = { secret: '', tables: [] };
const NOTES = { ...NO_NOTES, secret: webhookIdentity.secretFingerprint };
const INSERT = { tableId: 't1', event: 'INSERT' as const };

const createInput = (more: Partial<AuthenticationInput> = {}): AuthenticationInput => ({
  token: 'x',
  addresses: [WEBHOOK_URL],
  staticData: NO_NOTES,
  parameters: { tableIds: ['t1'], events: ['INSERT'] },
  ...more,
});

describe('the list', () => {
  let listed: Subscription[] | Error;
  let requests: number;
  const fetchList = async () => {
    requests++;
    if (listed instanceof Error) throw listed;
    return listed;
  };
  beforeEach(() => {
    clearSubscriptionLists('w1');
    listed = [createSubscription({ hookUrl: `${WEBHOOK_URL}?token=x` })];
    requests = 0;
  });
  const check = async (more: Partial<AuthenticationInput> = {}) =>
    (await authenticate(createInput(more), webhookIdentity, 'w1', fetchList)) !== undefined;

  test.each<[Partial<Subscription>, string, boolean]>([
    [{}, 'x', true],
    [{ hookUrl: WEBHOOK_URL }, '', false],
    [{ hookUrl: WEBHOOK_URL }, 'x', false],
    [{ type: 'UPDATE' }, 'x', false],
    [{ data_table_id: 't2' }, 'x', false],
    [{ hookUrl: `${WEBHOOK_URL}2?token=x` }, 'x', false],
  ])('shows %j, came with %p: %s', async (more, token, expected) => {
    listed = [createSubscription({ hookUrl: `${WEBHOOK_URL}?token=x`, ...more })];
    expect(await check({ token })).toBe(expected);
  });

  test('refuses a token listed with another host, unless the trigger had that address', async () => {
    listed = [createSubscription({ hookUrl: 'https://copy.example/webhook/w1/webhook?token=x' })];
    expect(await check()).toBe(false);
    clearSubscriptionLists('w1');
    expect(await check({ addresses: [WEBHOOK_URL, 'https://copy.example/webhook/w1/webhook'] })).toBe(true);
  });

  test('is read immediately after a change of the subscriptions, and each table has its own pause', async () => {
    await check({ token: 'wrong' });
    await check({ token: 'wrong', parameters: { tableIds: ['t2'], events: ['INSERT'] } });
    expect(requests).toBe(2);
    clearSubscriptionLists('w');
    await check({ token: 'wrong' });
    expect(requests).toBe(2);
    clearSubscriptionLists('w1');
    await check({ token: 'wrong' });
    expect(requests).toBe(3);
  });

  test('is read once in ten minutes; all callers that wait for the same list get its failure', async () => {
    const time = jest.spyOn(performance, 'now').mockReturnValue(0);
    for (let n = 0; n < 3; n++) await check({ token: 'wrong' });
    time.mockReturnValue(600_000 - 1);
    expect(await check()).toBe(true);
    expect(requests).toBe(1);
    time.mockReturnValue(600_000);
    listed = new Error('down');
    const [first, second] = [check(), check()];
    await expect(first).rejects.toThrow('down');
    await expect(second).rejects.toThrow('down');
    expect(requests).toBe(2);
    time.mockRestore();
  });
});

describe('the table and the event of a request', () => {
  const ALL = { tableIds: ['t1', 't2', 't3'], events: [...RECORD_EVENTS] };
  const UNREADABLE = { tableIds: [], events: [] };
  const listToken = (more: Partial<Subscription> = {}) => [
    createSubscription({ hookUrl: `${WEBHOOK_URL}?token=old`, ...more }),
  ];

  /** Returns what is found, and the number of lists that are read for it. */
  async function find(more: Partial<AuthenticationInput>, listed: Subscription[] = []) {
    clearSubscriptionLists('node');
    const fetchList = jest.fn(async () => listed);
    const found = await authenticate(createInput(more), webhookIdentity, 'node', fetchList);
    return [found, fetchList.mock.calls.length];
  }

  test.each(ALL.tableIds.flatMap((tableId) => ALL.events.map((event) => ({ tableId, event }))))(
    'follow from the token: $event of $tableId',
    async (source) => {
      const token = webhookIdentity.computeToken(source.tableId, source.event);
      expect(await find({ token, parameters: ALL })).toEqual([source, 0]);
      // An earlier version of the form may have chosen the event.
      expect(await find({ token, parameters: { ...ALL, events: [] } })).toEqual([source, 0]);
      // While the form cannot be read, the stored tables are known.
      const stored = { ...NO_NOTES, tables: ALL.tableIds };
      expect(await find({ token, parameters: UNREADABLE, staticData: stored })).toEqual([source, 0]);
    },
  );

  test('follow from the list of each table in turn, with a token of an earlier App Secret', async () => {
    const listed = listToken({ data_table_id: 't2', type: 'DELETE' });
    const expected = [{ tableId: 't2', event: 'DELETE' }, 2];
    expect(await find({ token: 'old', parameters: ALL }, listed)).toEqual(expected);
    const changed = { ...NOTES, secret: 'old' };
    expect(await find({ token: 'old', parameters: ALL, staticData: changed }, listed)).toEqual(expected);
  });

  const OTHER_TABLE = { tableIds: ['t2'], events: ['INSERT' as const] };
  const OTHER_EVENT = { tableIds: ['t1'], events: ['DELETE' as const] };

  test.each<[string, Partial<AuthenticationInput>, Subscription[], number]>([
    ['with another token than those of today', { token: 'old', staticData: NOTES }, listToken(), 0],
    ['with a token that is not listed', { token: 'other' }, listToken(), 1],
    ['without a token', { token: '' }, listToken(), 0],
    ['without a token, listed without one', { token: '' }, listToken({ hookUrl: WEBHOOK_URL }), 0],
    ['for a table that is not chosen', { token: 'old', parameters: OTHER_TABLE }, listToken(), 1],
    ['for an event that is not chosen', { token: 'old', parameters: OTHER_EVENT }, listToken(), 1],
    ['while the parameters cannot be read', { token: 'old', parameters: UNREADABLE }, listToken(), 0],
  ])('are not found %s', async (_, more, listed, reads) => {
    expect(await find(more, listed)).toEqual([undefined, reads]);
  });

  test('without a known address of the trigger, only addresses in the static data are compared', async () => {
    const listed = [createSubscription({ data_table_id: 't2' }), ...listToken()];
    expect(await find({ token: 'old', addresses: ['', WEBHOOK_URL] }, listed)).toEqual([INSERT, 1]);
    expect(await find({ token: 'old', addresses: [''] }, listed)).toEqual([undefined, 1]);
  });
});
