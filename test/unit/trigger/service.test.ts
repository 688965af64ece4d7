import { ApiSubscriptions } from '../../../nodes/RecordDatabaseTrigger/service';
import { ApiFailure } from '../../../nodes/shared/transport/errors';
import { FakeN8n, ok, refused } from '../transport/fakeN8n';

/** Subscriptions over the API: what is asked, and what an odd answer becomes. */

const wanted = {
  tableId: 't1',
  event: 'INSERT' as const,
  hookUrl: 'https://n8n.example/webhook/1?token=the-token-of-it',
};
const row = { id: 5, data_table_id: 't1', type: 'insert', hookUrl: wanted.hookUrl };

async function over(answer: ConstructorParameters<typeof FakeN8n>[0]) {
  const n8n = new FakeN8n(answer);
  return { n8n, service: new ApiSubscriptions(await n8n.client()) };
}
const failureOf = (call: Promise<unknown>) =>
  call.catch((error: unknown) => error as ApiFailure) as Promise<ApiFailure>;

test('a subscription names its table, event, address and platform, and brings its ID as text', async () => {
  const { n8n, service } = await over(() => ok({ type: 'success', id: 7 }));
  expect(await service.subscribe(wanted)).toBe('7');
  expect(n8n.sent[0]).toMatchObject({
    method: 'POST',
    url: 'https://service.example/api/v1/web-hooks/subscribe',
    body: { data_table_id: 't1', type: 'INSERT', hookUrl: wanted.hookUrl, platform: 'n8n' },
  });
  expect(await (await over(() => ok({ type: 'success' }))).service.subscribe(wanted)).toBeUndefined();
});

test('a service that repeats the address when it refuses it tells nobody the token', async () => {
  const errors = { hookUrl: [`${wanted.hookUrl} is not reachable`] };
  const { service } = await over(() => ({
    statusCode: 422,
    headers: {},
    body: { msg: wanted.hookUrl, errors },
  }));
  const { explanation } = await failureOf(service.subscribe(wanted));
  expect(explanation.message).toMatch(/^The webhook for INSERT on table t1 could not be created: /);
  expect(explanation.message).toContain('token=••• is not reachable');
  expect(JSON.stringify(explanation)).not.toContain('the-token-of-it');
});

test('the list is read table by table and once without; each subscription counts once', async () => {
  const { n8n, service } = await over(() => ok({ type: 'success', web_hooks: [row] }));
  expect(await service.list(['t1', 't2'])).toEqual([
    { id: '5', data_table_id: 't1', type: 'INSERT', hookUrl: wanted.hookUrl, platform: '' },
  ]);
  expect(n8n.sent.map((one) => (one as { qs?: object }).qs)).toEqual([
    { data_table_id: 't1' },
    { data_table_id: 't2' },
    undefined,
  ]);
});

test.each([400, 404, 422])('a table that is not known (%i) has no subscriptions', async (status) => {
  const { service } = await over((_, nth) => (nth === 1 ? refused(status, 'no') : ok([row])));
  expect(await service.list(['t1'])).toHaveLength(1);
});

test('a page of a proxy is no word of the service: nothing is taken for gone', async () => {
  const page = () => ({ statusCode: 404, headers: {}, body: '<html>Not Found</html>' });
  const { service } = await over(page);
  await expect(service.list(['t1'])).rejects.toThrow("The service's webhooks could not be listed");
  await expect(service.unsubscribe('5')).rejects.toThrow('The webhook 5 could not be removed');
});

test('a list that is none, or that may not be read, is no empty list', async () => {
  const none = await failureOf((await over(() => ok({ type: 'success' }))).service.list([]));
  expect(none.explanation).toMatchObject({
    message: "The service's list of webhooks could not be read",
    description: expect.stringContaining('Check the Base URL') as string,
  });
  const denied = await failureOf((await over(() => refused(403, 'no'))).service.list([]));
  expect(denied.explanation.message).toMatch(/^The service's webhooks could not be listed: /);
  expect(denied.status).toBe(403);
});

test('one that is gone is removed; another failure is told with its ID', async () => {
  const { n8n, service } = await over(() => refused(404, 'gone'));
  await service.unsubscribe('5');
  expect(n8n.sent[0]).toMatchObject({ method: 'DELETE', body: { id: '5' } });
  const { service: denied } = await over(() => refused(403, 'no'));
  expect((await failureOf(denied.unsubscribe('5'))).message).toMatch(/^The webhook 5 could not be removed: /);
});
