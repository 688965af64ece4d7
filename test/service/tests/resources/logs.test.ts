import { listViolations, ManualClock, openService } from '../client';

type Opened = Awaited<ReturnType<typeof openService>>;
let { service, api, app }: Opened = {} as Opened;
const clock = new ManualClock();
beforeAll(async () => ({ service, api, app } = await openService({ clock })));
afterAll(() => service.stop());

/** Item fields by log (spec: Logs). */
const FIELDS = {
  'failed-logins': 'created_at username ip city state country platform browser device device_type',
  logins:
    'email name type created_at address address2 city state country zip latitude longitude ip platform browser device device_type',
  'page-views': 'url data_type_id page_id created_at ip app_user_id browser user',
  emails: 'unique_id created_at to subject status body from_email from_name browser ip',
  sessions: 'email name created_at expire_at last_active_at browser ip',
  'blocked-users': 'type created_at username start_at end_at status',
  'blocked-ips': 'type created_at username start_at end_at status',
  'builder-activities': 'type created_at ip user metas',
};

test.each(Object.entries(FIELDS))('%s: its fields, newest first, in pages of 50', async (name, fields) => {
  const { data } = await api.get(`/logs/${name}`);
  expect(data).toMatchObject({ type: 'success', page: 1, total_pages: Math.ceil(data.total_items / 50) });
  expect(data.items).toHaveLength(50);
  for (const item of data.items) expect(Object.keys(item).toSorted()).toEqual(fields.split(' ').toSorted());
  const second = (await api.get(`/logs/${name}?page=2`)).data;
  const times = [...data.items, ...second.items].map(({ created_at }: { created_at: string }) => created_at);
  expect(times).toEqual(times.toSorted().toReversed());
  expect((await api.get(`/logs/${name}?page=99`)).data.items).toEqual([]);
  expect(listViolations(service)).toEqual([]);
});

test('a login over the API is logged and opens a session', async () => {
  const { email, password } = service.user;
  await app.post('/auth/login', { email, password });
  expect((await api.get('/logs/logins')).data.items[0]).toMatchObject({ email, type: 'Login' });
  expect((await api.get('/logs/sessions')).data.items[0]).toMatchObject({
    email,
    created_at: '2025-06-15 12:00:00',
  });
});

test('sessions: of the last 13 hours and not expired', async () => {
  const countSessions = async () => (await api.get('/logs/sessions')).data.total_items;
  const before = await countSessions();
  clock.advance(12 * 3600_000);
  const later = await countSessions();
  expect(later).toBeGreaterThan(0);
  expect(later).toBeLessThan(before);
  clock.advance(3600_000 + 1000);
  expect(await countSessions()).toBe(0);
});
