import type { IWebhookFunctions } from 'n8n-workflow';
import type { Subscription } from '../../../nodes/client/responses/schemas';
import {
  type AuthenticationInput,
  authenticate,
  checkList,
  checkToken,
  clearSubscriptionLists,
} from '../../../nodes/RecordDatabaseTrigger/authenticate';
import type { TriggerParameters } from '../../../nodes/RecordDatabaseTrigger/form';
import type { Delivery, StaticData } from '../../../nodes/RecordDatabaseTrigger/staticData';
import { WEBHOOK_URL, createSubscription, webhookIdentity } from './identity';

const delivery: Delivery = {
  event: 'INSERT',
  tableId: 't1',
  tableName: '',
  recordId: 'r',
  record: {},
  timestamp: '',
};
const NO_NOTES = { addresses: [], secret: '' };
const NOTES = { ...NO_NOTES, secret: webhookIdentity.secretFingerprint };
const TOKEN = webhookIdentity.computeToken('t1', 'INSERT');

const createInput = (more: Partial<AuthenticationInput> = {}): AuthenticationInput => ({
  delivery,
  token: 'x',
  path: '/webhook/w1/webhook',
  webhookUrl: WEBHOOK_URL,
  staticData: NO_NOTES,
  isExpected: true,
  acceptUnverified: true,
  ...more,
});

describe('the token', () => {
  test.each<[string, Partial<AuthenticationInput>, string | undefined]>([
    ['right', { token: TOKEN }, 'valid'],
    ['right, whatever the notes say', { token: TOKEN, staticData: NOTES, isExpected: false }, 'valid'],
    ['wrong, for an event that the trigger does not listen to', { isExpected: false }, 'invalid'],
    ['wrong, and the subscriptions have the tokens of today', { staticData: NOTES }, 'invalid'],
    ['wrong, and the App Secret was changed', { staticData: { ...NOTES, secret: 'old' } }, undefined],
    ['wrong, and the notes are lost', {}, undefined],
    ['missing, and not accepted', { token: undefined, acceptUnverified: false }, 'invalid'],
    ['missing, and accepted', { token: undefined }, 'unverified'],
    [
      'missing, for an event that the trigger does not listen to',
      { token: undefined, isExpected: false },
      'invalid',
    ],
    ['wrong, and a missing one would be accepted', { staticData: NOTES }, 'invalid'],
  ])('%s', (_what, more, verdict) => expect(checkToken(createInput(more), webhookIdentity)).toBe(verdict));
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
    checkList(createInput(more), 'w1', fetchList, now);

  test.each<[Partial<Subscription>, string | undefined, string]>([
    [{}, 'x', 'valid'],
    [{ hookUrl: WEBHOOK_URL }, '', 'invalid'],
    [{ hookUrl: WEBHOOK_URL }, 'x', 'invalid'],
    [{ type: 'UPDATE' }, 'x', 'invalid'],
    [{ data_table_id: 't2' }, 'x', 'invalid'],
    [{ hookUrl: `${WEBHOOK_URL}2?token=x` }, 'x', 'invalid'],
  ])('shows %j, came with %p: %s', async (more, token, verdict) => {
    listed = [createSubscription({ hookUrl: `${WEBHOOK_URL}?token=x`, ...more })];
    expect(await check({ token })).toBe(verdict);
  });

  test('refuses a token listed with another host, unless the static data contains that address', async () => {
    listed = [createSubscription({ hookUrl: 'https://copy.example/webhook/w1/webhook?token=x' })];
    expect(await check()).toBe('invalid');
    clearSubscriptionLists('w1');
    const staticData = { ...NO_NOTES, addresses: ['https://copy.example/webhook/w1/webhook'] };
    expect(await check({ staticData })).toBe('valid');
  });

  test('is read 6 times a day if a wrong token arrives every ten seconds', async () => {
    const day = 24 * 60 * 60_000;
    for (let now = 0; now < day; now += 10_000) await check({ token: 'wrong' }, now);
    expect(requests).toBe(6);
    // The last list is still used.
    expect(await check({}, day)).toBe('valid');
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
    await check({ token: 'wrong', delivery: { ...delivery, tableId: 't2' } });
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
    expect(await check({}, 360_000 + 1_500_000 * 5)).toBe('valid');
    await check({}, 360_000 + 1_500_000 * 5 + 59_999);
    expect(requests).toBe(4);
    await check({}, 360_000 + 1_500_000 * 5 + 60_000);
    expect(requests).toBe(5);
    clearSubscriptionLists('w1');
    listed = new Error('down');
    await expect(check({}, 0)).rejects.toThrow('down');
    await expect(check({}, 59_999)).rejects.toThrow('down');
    listed = [createSubscription({ hookUrl: `${WEBHOOK_URL}?token=x` })];
    expect(await check({}, 60_000)).toBe('valid');
    expect(requests).toBe(7);
  });
});

describe('a request', () => {
  const WANTED = { tableIds: ['t1'], events: ['INSERT'], withoutToken: 'accept' };
  const OTHER_TABLE = { ...WANTED, tableIds: ['t2'] };
  const OTHER_EVENT = { ...WANTED, events: ['DELETE'] };
  const LISTED = [createSubscription({ hookUrl: `${WEBHOOK_URL}?token=old` })];
  const NO_TOKEN_LISTED = [createSubscription({ hookUrl: WEBHOOK_URL })];

  test.each<[string, unknown, object | undefined, Subscription[], string, number]>([
    ['with the token', TOKEN, undefined, [], 'valid', 0],
    ['with a listed token', 'old', WANTED, LISTED, 'valid', 1],
    ['with a token that is not listed', 'other', WANTED, LISTED, 'invalid', 1],
    ['with an empty token', '', WANTED, LISTED, 'invalid', 1],
    ['with the token given twice', ['old', 'old'], WANTED, LISTED, 'invalid', 1],
    ['without a token', undefined, WANTED, [], 'unverified', 0],
    ['with an empty token, listed without one', '', WANTED, NO_TOKEN_LISTED, 'invalid', 1],
    ['without a token, not accepted', undefined, { ...WANTED, withoutToken: 'refuse' }, LISTED, 'invalid', 0],
    ['for a table that is not chosen', 'old', OTHER_TABLE, LISTED, 'invalid', 0],
    ['for an event that is not chosen', 'old', OTHER_EVENT, LISTED, 'invalid', 0],
    ['while the parameters cannot be read', 'old', undefined, LISTED, 'invalid', 0],
  ])('%s', async (_, token, parameters, listed, verdict, reads) => {
    clearSubscriptionLists('node-of-request');
    const fetchList = jest.fn(async () => listed);
    const context = {
      getQueryData: () => ({ token }),
      getRequestObject: () => ({ path: '/webhook/w1/webhook' }),
      getNodeWebhookUrl: (name: string) => (name === 'default' ? WEBHOOK_URL : undefined),
      getNode: () => ({ webhookId: 'node-of-request' }),
    } as unknown as IWebhookFunctions;
    const known = { delivery, identity: webhookIdentity, staticData: NO_NOTES as unknown as StaticData };
    const given = parameters as TriggerParameters | undefined;
    expect(await authenticate(context, known, given, fetchList)).toBe(verdict);
    expect(fetchList).toHaveBeenCalledTimes(reads);
  });

  test('without a known address of the trigger, only addresses in the static data are compared', async () => {
    clearSubscriptionLists('node-of-request');
    const context = {
      getQueryData: () => ({ token: 'old' }),
      getRequestObject: () => ({ path: '/webhook/w1/webhook' }),
      getNodeWebhookUrl: () => undefined,
      getNode: () => ({ webhookId: 'node-of-request' }),
    } as unknown as IWebhookFunctions;
    const staticData = { ...NO_NOTES, addresses: [WEBHOOK_URL] } as unknown as StaticData;
    const known = { delivery, identity: webhookIdentity, staticData };
    const fetchList = async () => [createSubscription({ data_table_id: 't2' }), ...LISTED];
    expect(await authenticate(context, known, WANTED as TriggerParameters, fetchList)).toBe('valid');
  });
});
