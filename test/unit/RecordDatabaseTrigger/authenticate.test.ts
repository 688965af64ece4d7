import { RECORD_EVENTS, type Subscription } from '../../../nodes/client/responses/schemas';
import {
  type AuthenticationInput,
  authenticate,
  checkList,
  clearSubscriptionLists,
} from '../../../nodes/RecordDatabaseTrigger/authenticate';
import { WEBHOOK_URL, createSubscription, webhookIdentity } from './identity';

const NO_NOTES = { addresses: [], secret: '', tables: [] };
const NOTES = { ...NO_NOTES, secret: webhookIdentity.secretFingerprint };
const INSERT = { tableId: 't1', event: 'INSERT' as const };
const TOKEN = webhookIdentity.computeToken('t1', 'INSERT');

const createInput = (more: Partial<AuthenticationInput> = {}): AuthenticationInput => ({
  named: INSERT,
  token: 'x',
  path: '/webhook/w1/webhook',
  webhookUrl: WEBHOOK_URL,
  staticData: NO_NOTES,
  parameters: { tableIds: ['t1'], events: ['INSERT'] },
  acceptUnverified: false,
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
  const check = (more: Partial<AuthenticationInput> = {}, now = 0) =>
    checkList(createInput(more), { ...INSERT, ...more.named }, 'w1', fetchList, now);

  test.each<[Partial<Subscription>, string | undefined, boolean]>([
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

  test('refuses a token listed with another host, unless the static data contains that address', async () => {
    listed = [createSubscription({ hookUrl: 'https://copy.example/webhook/w1/webhook?token=x' })];
    expect(await check()).toBe(false);
    clearSubscriptionLists('w1');
    const staticData = { ...NO_NOTES, addresses: ['https://copy.example/webhook/w1/webhook'] };
    expect(await check({ staticData })).toBe(true);
  });

  test('is read 6 times a day if a wrong token arrives every ten seconds', async () => {
    const day = 24 * 60 * 60_000;
    for (let now = 0; now < day; now += 10_000) await check({ token: 'wrong' }, now);
    expect(requests).toBe(6);
    // The last list is still used.
    expect(await check({}, day)).toBe(true);
    expect(requests).toBe(6);
  });

  test('is read at least once a day', async () => {
    const hour = 60 * 60_000;
    for (let now = 0; now < 10 * 24 * hour; now += hour) await check({ token: 'wrong' }, now);
    // After 0, 1, 2, 3, 6 and 17 hours, and then every 24.
    expect(requests).toBe(15);
  });

  test('is read immediately after a change of the subscriptions, and each table has its own pause', async () => {
    await check({ token: 'wrong' });
    await check({ token: 'wrong', named: { tableId: 't2' } });
    expect(requests).toBe(2);
    clearSubscriptionLists('w');
    await check({ token: 'wrong' }, 1);
    expect(requests).toBe(2);
    clearSubscriptionLists('w1');
    await check({ token: 'wrong' }, 1);
    expect(requests).toBe(3);
  });

  test('a match ends the long pause; all callers that wait for the same list get its failure', async () => {
    for (const now of [0, 60_000, 360_000]) await check({ token: 'wrong' }, now);
    expect(await check({}, 360_000 + 1_500_000 * 5)).toBe(true);
    await check({}, 360_000 + 1_500_000 * 5 + 59_999);
    expect(requests).toBe(4);
    await check({}, 360_000 + 1_500_000 * 5 + 60_000);
    expect(requests).toBe(5);
    clearSubscriptionLists('w1');
    listed = new Error('down');
    await expect(check({}, 0)).rejects.toThrow('down');
    await expect(check({}, 59_999)).rejects.toThrow('down');
    listed = [createSubscription({ hookUrl: `${WEBHOOK_URL}?token=x` })];
    expect(await check({}, 60_000)).toBe(true);
    expect(requests).toBe(7);
  });
});

describe('a request', () => {
  const OTHER_TABLE = { tableIds: ['t2'], events: ['INSERT' as const] };
  const OTHER_EVENT = { tableIds: ['t1'], events: ['DELETE' as const] };
  const UNREADABLE = { tableIds: [], events: [] };
  const CHANGED = { ...NOTES, secret: 'old' };
  const LISTED = [createSubscription({ hookUrl: `${WEBHOOK_URL}?token=old` })];
  const NO_TOKEN_LISTED = [createSubscription({ hookUrl: WEBHOOK_URL })];

  test.each<[string, Partial<AuthenticationInput>, Subscription[], string | undefined, number]>([
    ['with the token', { token: TOKEN }, [], 'valid', 0],
    [
      'with the token, of an event that is no longer chosen',
      { token: TOKEN, parameters: OTHER_EVENT },
      [],
      'valid',
      0,
    ],
    [
      'with the token of another event',
      { token: TOKEN, named: { ...INSERT, event: 'UPDATE' } },
      [],
      undefined,
      0,
    ],
    ['with another token than those of today', { token: 'old', staticData: NOTES }, LISTED, undefined, 0],
    [
      'with a listed token, after a change of the App Secret',
      { token: 'old', staticData: CHANGED },
      LISTED,
      'valid',
      1,
    ],
    ['with a listed token', { token: 'old' }, LISTED, 'valid', 1],
    ['with a token that is not listed', { token: 'other' }, LISTED, undefined, 1],
    ['with an empty token, listed without one', { token: '' }, NO_TOKEN_LISTED, undefined, 1],
    ['without a token', { token: undefined }, LISTED, undefined, 0],
    ['without a token, which is accepted', { token: undefined, acceptUnverified: true }, [], 'unverified', 0],
    ['for a table that is not chosen', { token: 'old', parameters: OTHER_TABLE }, LISTED, undefined, 0],
    ['for an event that is not chosen', { token: 'old', parameters: OTHER_EVENT }, LISTED, undefined, 0],
    ['while the parameters cannot be read', { token: 'old', parameters: UNREADABLE }, LISTED, undefined, 0],
  ])('%s', async (_, more, listed, verdict, reads) => {
    clearSubscriptionLists('node');
    const fetchList = jest.fn(async () => listed);
    const found = await authenticate(createInput(more), webhookIdentity, 'node', fetchList);
    expect(found).toEqual(verdict && { verdict, source: INSERT });
    expect(fetchList).toHaveBeenCalledTimes(reads);
  });

  test('without a known address of the trigger, only addresses in the static data are compared', async () => {
    clearSubscriptionLists('node');
    const input = createInput({
      token: 'old',
      webhookUrl: '',
      staticData: { ...NO_NOTES, addresses: [WEBHOOK_URL] },
    });
    const fetchList = async () => [createSubscription({ data_table_id: 't2' }), ...LISTED];
    expect(await authenticate(input, webhookIdentity, 'node', fetchList)).toBeDefined();
  });
});

describe('a body that names neither table nor event: the address says both', () => {
  const ALL = { tableIds: ['t1', 't2', 't3'], events: [...RECORD_EVENTS] };
  const find = (more: Partial<AuthenticationInput>, listed: Subscription[] = []) => {
    clearSubscriptionLists('node');
    const fetchList = jest.fn(async () => listed);
    const input = createInput({ named: {}, parameters: ALL, ...more });
    return authenticate(input, webhookIdentity, 'node', fetchList).then((found) => [
      found?.source,
      fetchList.mock.calls.length,
    ]);
  };
  const SOURCES = ALL.tableIds.flatMap((tableId) => ALL.events.map((event) => ({ tableId, event })));

  test.each(SOURCES)('by the token: $event of $tableId', async (source) => {
    const token = webhookIdentity.computeToken(source.tableId, source.event);
    expect(await find({ token })).toEqual([source, 0]);
    // As long as the form cannot be read, the stored tables do.
    const stored = { ...NO_NOTES, tables: ALL.tableIds };
    expect(await find({ token, parameters: { tableIds: [], events: [] }, staticData: stored })).toEqual([
      source,
      0,
    ]);
  });

  test('by the list of each table in turn, with a token of an earlier App Secret', async () => {
    const hookUrl = `${WEBHOOK_URL}?token=old`;
    const listed = [createSubscription({ data_table_id: 't2', type: 'DELETE', hookUrl })];
    expect(await find({ token: 'old' }, listed)).toEqual([{ tableId: 't2', event: 'DELETE' }, 2]);
  });

  test('what the body names must fit', async () => {
    const token = webhookIdentity.computeToken('t1', 'UPDATE');
    expect(await find({ token, named: { event: 'UPDATE' } })).toEqual([
      { tableId: 't1', event: 'UPDATE' },
      0,
    ]);
    expect(await find({ token, named: { event: 'INSERT' }, staticData: NOTES })).toEqual([undefined, 0]);
    expect(await find({ token, named: { tableId: 't2' }, staticData: NOTES })).toEqual([undefined, 0]);
  });

  test('without a token, only a form with one table and one event says which they are', async () => {
    const bare = { token: undefined, acceptUnverified: true };
    expect(await find(bare)).toEqual([undefined, 0]);
    expect(await find({ ...bare, parameters: { tableIds: ['t1'], events: ['INSERT'] } })).toEqual([
      INSERT,
      0,
    ]);
  });
});
