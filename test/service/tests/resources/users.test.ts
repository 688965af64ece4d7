import { createClients, listViolations, ManualClock, openService } from '../client';

type Opened = Awaited<ReturnType<typeof openService>>;
let { service, api, app, at }: Opened = {} as Opened;
const clock = new ManualClock();
beforeAll(async () => ({ service, api, app, at } = await openService({ clock, tokenMs: 36 * 3600_000 })));
afterAll(() => service.stop());
beforeEach(() => void (service.violations.length = 0));

const logIn = async () => {
  const { email, password } = service.user;
  return (await app.post('/auth/login', { email, password, remember: true })).data;
};
const createUserClients = (token: string) =>
  createClients(service, service.keys, { Authorization: `Bearer ${token}` });

describe('tokens', () => {
  test('login, status, logout', async () => {
    const { token, ...rest } = await logIn();
    expect(rest).toEqual({
      type: 'success',
      user_id: service.user.userId,
      logged_in_since: '2025-06-15 12:00:00',
      expires_at: '2025-06-17 00:00:00',
    });
    const user = createUserClients(token);
    expect((await user.app.post('/auth/status')).data).toEqual({
      type: 'success',
      valid: true,
      expires_at: rest.expires_at,
      time_remaining: '1 days 12 hours',
    });
    expect((await user.api.get('/data-tables')).status).toBe(200);
    expect((await user.app.post('/auth/logout')).data.type).toBe('success');
    expect((await user.api.get('/data-tables')).status).toBe(401);
    expect((await user.app.post('/auth/status')).data).toMatchObject({ valid: false });
    expect(listViolations(service)).toEqual([]);
  });

  test('an expired token answers 401, and its status says so', async () => {
    const user = createUserClients((await logIn()).token);
    clock.advance(36 * 3600_000);
    expect((await user.api.get('/data-tables')).data).toMatchObject({ status: 401, msg: 'Token Expired' });
    expect((await user.app.post('/auth/status')).data).toMatchObject({
      valid: false,
      time_remaining: '0 days 0 hours',
    });
  });

  test('a wrong password is refused and logged', async () => {
    const { status } = await app.post('/auth/login', { email: service.user.email, password: 'wrong' });
    expect(status).toBe(401);
    expect((await api.get('/logs/failed-logins')).data.items[0].username).toBe(service.user.email);
  });

  test('logout and status without a token, login with one', async () => {
    expect((await app.post('/auth/logout')).status).toBe(401);
    expect((await app.post('/auth/status')).status).toBe(401);
    const { token } = await logIn();
    await createUserClients(token).app.post('/auth/login', {
      email: service.user.email,
      password: service.user.password,
    });
    expect(listViolations(service)).toEqual([
      expect.stringContaining('no Bearer token'),
      expect.stringContaining('no Bearer token'),
      expect.stringContaining('where the spec sends none'),
    ]);
  });

  test('a password must not be in a URL', async () => {
    await api.get(`/status?p=${service.user.password}`);
    expect(listViolations(service)).toContain('a secret in the URL');
  });
});

describe('without a password', () => {
  test('auto-login and magic link', async () => {
    const auto = (await app.post('/auth/auto-login', { email: service.user.email })).data;
    expect((await createUserClients(auto.token).app.post('/auth/status')).data.valid).toBe(true);
    for (const who of [{ email: service.user.email }, { user_id: service.user.userId, redirect_url: '/x' }]) {
      const { data } = await app.post('/auth/magic-link', who);
      expect(data).toEqual({
        type: 'success',
        token: expect.any(String),
        magicLinkUrl: expect.stringMatching(/^http/),
      });
    }
    expect((await app.post('/auth/magic-link', {})).status).toBe(422);
    expect((await app.post('/auth/auto-login', { email: 'nobody@example.com' })).status).toBe(404);
  });

  test('need a key made for it', async () => {
    const plain = createClients(service, service.addKey()).app;
    for (const path of ['auto-login', 'magic-link']) {
      expect((await plain.post(`/auth/${path}`, { email: service.user.email })).status).toBe(403);
    }
  });
});

describe('Row Level Security', () => {
  const all = { limit: 200 };
  const createFilter = (field_id: string, operator: string) => ({
    filters: { items: [{ field_id, operator }] },
  });
  const listOwnCustomers = () =>
    [...service.getTable('Customers').records.values()].filter(({ account_owner }) =>
      (account_owner as string[]).includes(service.user.userId),
    );

  test('a user sees own customers and their orders, a key alone sees all', async () => {
    const user = createUserClients((await logIn()).token).api;
    const { data } = await user.get(`${at('Customers')}/records`, { params: all });
    expect(data.items.map(({ id }: { id: string }) => id)).toEqual(listOwnCustomers().map(({ id }) => id));
    expect(data.total_items).toBeLessThan(150);
    const orders = (await user.get(`${at('Orders')}/records`, { params: all })).data;
    const customers = new Set(listOwnCustomers().map(({ id }) => id));
    expect(
      orders.items.every(({ customer }: { customer: string[] }) => customers.has(customer[0] ?? '')),
    ).toBe(true);
    expect((await api.get(`${at('Customers')}/records`)).data.total_items).toBe(300);
    expect((await user.get(`${at('Products')}/records`)).data.total_items).toBe(40);
  });

  test('the records of others are not found; own customers may not be deleted', async () => {
    const user = createUserClients((await logIn()).token).api;
    const other = [...service.getTable('Customers').records.values()].find(
      (record) => !listOwnCustomers().includes(record),
    );
    const getUrl = (id = '') => `${at('Customers')}/records/${id}`;
    expect((await user.get(getUrl(other?.id))).status).toBe(404);
    expect((await user.post(getUrl(other?.id), { notes: 'x' })).status).toBe(404);
    expect((await user.post(getUrl(listOwnCustomers()[0]?.id), { notes: 'x' })).status).toBe(200);
    expect((await user.delete(getUrl(listOwnCustomers()[0]?.id))).status).toBe(403);
  });

  test('logged-in-user operators', async () => {
    const user = createUserClients((await logIn()).token).api;
    const count = async (table: string, field: string, operator: string) =>
      (await user.post(`${at(table)}/records`, createFilter(field, operator))).data.total_items;
    const own = listOwnCustomers().length;
    expect(await count('Customers', 'account_owner', 'is logged in user')).toBe(own);
    expect(await count('Customers', 'account_owner', 'is not logged in user')).toBe(0);
    expect(await count('Orders', 'customer', 'is not connected to logged in user')).toBe(0);
    expect(await count('Orders', 'customer', 'is connected to logged in user')).toBeGreaterThan(0);
    expect(await count('Showcase', 'user', 'is not logged in user')).toBeGreaterThan(0);
    expect(listViolations(service)).toEqual([]);
  });
});
