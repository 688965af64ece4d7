import { SubscriptionApiClient } from '../../../nodes/RecordDatabaseTrigger/subscriptions';
import { ApiError } from '../../../nodes/service';
import { FakeN8n, createErrorAnswer, createOkAnswer } from '../service/http/fakeN8n';

/** Subscriptions over the API: the requests, and the results of unexpected responses. */

const wanted = { tableId: 't1', event: 'INSERT' as const };
const hookUrl = 'https://n8n.example/webhook/1?token=the-token-of-it';
const row = { id: 5, data_table_id: 't1', type: 'insert', hookUrl };

async function createApi(answer: ConstructorParameters<typeof FakeN8n>[0]) {
  const n8n = new FakeN8n(answer);
  return { n8n, service: new SubscriptionApiClient(await n8n.createClient()) };
}
const catchError = (call: Promise<unknown>) =>
  call.catch((error: unknown) => error as ApiError) as Promise<ApiError>;

test('a subscription sends its table, event, address and platform, and returns its ID as text', async () => {
  const { n8n, service } = await createApi(() => createOkAnswer({ type: 'success', id: 7 }));
  expect(await service.subscribe(wanted, hookUrl)).toBe('7');
  expect(n8n.sent[0]).toMatchObject({
    method: 'POST',
    url: 'https://service.example/api/v1/web-hooks/subscribe',
    body: { data_table_id: 't1', type: 'INSERT', hookUrl, platform: 'n8n' },
  });
  expect(
    await (await createApi(() => createOkAnswer({ type: 'success' }))).service.subscribe(wanted, hookUrl),
  ).toBeUndefined();
});

test('the error does not contain the token if the service repeats the refused address', async () => {
  const errors = { hookUrl: [`${hookUrl} is not reachable`] };
  const { service } = await createApi(() => ({
    statusCode: 422,
    headers: {},
    body: { msg: hookUrl, errors },
  }));
  const { message, description } = await catchError(service.subscribe(wanted, hookUrl));
  expect(message).toMatch(/^The webhook for "Record Created" in table "t1" could not be created: /);
  expect(message).toContain('token=••• is not reachable');
  expect(JSON.stringify([message, description])).not.toContain('the-token-of-it');
});

test('reads the list of each table and the list without a table; each subscription counts once', async () => {
  const { n8n, service } = await createApi(() => createOkAnswer({ type: 'success', web_hooks: [row] }));
  expect(await service.list(['t1', 't2'])).toEqual([
    { id: '5', data_table_id: 't1', type: 'INSERT', hookUrl, platform: '' },
  ]);
  expect(n8n.sent.map(({ url }) => new URL(url!).search)).toEqual([
    '?data_table_id=t1',
    '?data_table_id=t2',
    '',
  ]);
});

test.each([400, 404, 422])('an unknown table (%i) has no subscriptions', async (status) => {
  const { service } = await createApi((_, nth) =>
    nth === 1 ? createErrorAnswer(status, 'no') : createOkAnswer([row]),
  );
  expect(await service.list(['t1'])).toHaveLength(1);
});

test("a proxy's 404 does not mean that a subscription is gone", async () => {
  const createErrorPage = () => ({ statusCode: 404, headers: {}, body: '<html>Not Found</html>' });
  const { service } = await createApi(createErrorPage);
  await expect(service.list(['t1'])).rejects.toThrow("The service's webhooks could not be listed");
  await expect(service.unsubscribe('5')).rejects.toThrow('The webhook 5 could not be removed');
});

test('a response that is not a list, or a refused list, is not read as an empty list', async () => {
  const none = await catchError(
    (await createApi(() => createOkAnswer({ type: 'success' }))).service.list([]),
  );
  expect(none).toMatchObject({
    message: expect.stringContaining("The service's webhooks could not be listed") as string,
    description: expect.stringContaining('Check the Base URL') as string,
  });
  const denied = await catchError((await createApi(() => createErrorAnswer(403, 'no'))).service.list([]));
  expect(denied.message).toMatch(/^The service's webhooks could not be listed: /);
  expect(denied.status).toBe(403);
});

test('a missing subscription counts as removed; the error of another failure names its ID', async () => {
  const { n8n, service } = await createApi(() => createErrorAnswer(404, 'gone'));
  await service.unsubscribe('5');
  expect(n8n.sent[0]).toMatchObject({ method: 'DELETE', body: { id: '5' } });
  const { service: denied } = await createApi(() => createErrorAnswer(403, 'no'));
  expect((await catchError(denied.unsubscribe('5'))).message).toMatch(
    /^The webhook 5 could not be removed: /,
  );
});
