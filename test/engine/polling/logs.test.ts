import { useTestEnvironment } from '../support/useTestEnvironment';
import { createPollingWorkflow, pollOnce, TestClock } from './support';

/** Log Entries, over HTTP. */
const clock = new TestClock();
const env = useTestEnvironment({ clock });

const forLog = (log: string, parameters: object = {}) =>
  createPollingWorkflow({ triggerOn: 'logEntryAdded', log, ...parameters });

/** Makes a login fail, which adds an entry to the log of failed logins. */
async function failLogin(email: string): Promise<void> {
  const { baseUrl, keys, options } = env.service;
  const prefix = `x-${options.headerPrefix}-app`;
  await fetch(`${baseUrl}/api/v1.1/${keys.appId}/auth/login`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      [`${prefix}-id`]: keys.appId,
      [`${prefix}-key`]: keys.appKey,
      [`${prefix}-secret`]: keys.appSecret,
    },
    body: JSON.stringify({ email, password: 'wrong', remember: false }),
  });
}

test('new entries are returned once, equal ones too, with one request when nothing happened', async () => {
  const trigger = await env.engine.activate(forLog('failedLogins'));
  expect(await pollOnce(trigger)).toBeUndefined();
  clock.advance(60);
  for (const email of ['a@example.com', 'b@example.com', 'b@example.com']) await failLogin(email);
  const items = (await pollOnce(trigger))!;
  expect(items.map(({ username }) => username)).toEqual(['a@example.com', 'b@example.com', 'b@example.com']);
  expect(new Set(items.map(({ _eventId }) => _eventId)).size).toBe(3);
  const before = env.service.requests.length;
  expect(await pollOnce(trigger)).toBeUndefined();
  expect(env.service.requests.length - before).toBe(1);
  await failLogin('b@example.com');
  expect(await pollOnce(trigger)).toHaveLength(1);
  await trigger.deactivate();
});

test.each([
  'blockedIps',
  'blockedUsers',
  'builderActivities',
  'emails',
  'failedLogins',
  'logins',
  'pageViews',
  'sessions',
])('%s: Return Everything First returns each entry once', async (log) => {
  const trigger = await env.engine.activate(forLog(log, { options: { returnExisting: true } }));
  const runs = await trigger.waitUntilIdle();
  expect(await pollOnce(trigger)).toBeUndefined();
  const ids = runs.flatMap((run) => run.getJson('Poll')).map(({ _eventId }) => _eventId);
  expect(new Set(ids).size).toBe(ids.length);
  await trigger.deactivate();
});
