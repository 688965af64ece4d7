import type { Application } from '../state/application';
import type { LogName } from '../state/logs';
import { Random } from '../state/random';
import { HOUR, SECOND, timestamp } from '../state/time';
import type { User } from '../state/users';
import { PLACES } from './people';

type Make = (random: Random, user: User, at: number) => Record<string, unknown>;

/** How many entries each log gets, the hours they reach back, and one entry's own fields. */
const LOGS: Record<LogName, { count: number; hours: number; make: Make }> = {
  'failed-logins': {
    count: 180,
    hours: 720,
    make: (random) => ({
      username: `guess${random.int(1, 40)}@example.com`,
      ...place(random),
      ...device(random),
    }),
  },
  logins: {
    count: 230,
    hours: 720,
    make: (random, { email, name }) => ({
      email,
      name,
      type: random.pick(['Login', 'Login', 'Auto-login']),
      address: '',
      address2: '',
      zip: '10001',
      latitude: '0.0',
      longitude: '0.0',
      ...place(random),
      ...device(random),
    }),
  },
  'page-views': {
    count: 420,
    hours: 240,
    make: (random, user) => ({
      url: `/${random.pick(['shop', 'customers', 'customer-details'])}`,
      data_type_id: '',
      page_id: '',
      ip: ip(random),
      browser: 'Firefox',
      ...random.pick([
        { app_user_id: user.id, user: { name: user.name, email: user.email } },
        { app_user_id: '', user: { name: 'Not Logged in', email: '' } },
        { app_user_id: 'gone000000', user: { name: 'User Deleted', email: '' } },
      ]),
    }),
  },
  emails: {
    count: 160,
    hours: 720,
    make: (random, user) => ({
      unique_id: random.secret(12),
      to: `${user.email},office@example.com`,
      subject: 'Your order',
      status: random.pick(['Sent', 'Sent', 'Failed', 'Pending']),
      body: '<p>Thank you</p>',
      from_email: 'shop@example.com',
      from_name: 'Shop',
      browser: 'Firefox',
      ip: ip(random),
    }),
  },
  sessions: {
    count: 200,
    hours: 26,
    make: (random, { email, name }, at) => ({
      email,
      name,
      expire_at: timestamp(at + random.int(6, 48) * HOUR),
      last_active_at: timestamp(at + HOUR),
      browser: 'Firefox',
      ip: ip(random),
    }),
  },
  'blocked-users': { count: 60, hours: 720, make: (random, { email }, at) => block(random, email, at) },
  'blocked-ips': { count: 55, hours: 720, make: (random, _user, at) => block(random, ip(random), at) },
  'builder-activities': {
    count: 150,
    hours: 720,
    make: (random, { name, email }) => ({
      type: random.pick(['Page Created', 'Field Updated']),
      ip: ip(random),
      user: { name, email },
      metas: [{ name: 'Name', val: random.pick(['Shop', 'Customers', 'Status']) }],
    }),
  },
};

/** Entries spread evenly back from now, since the sessions log only looks 13 hours back. */
export function fillLogs(app: Application): void {
  const random = new Random(app.options.seed);
  const now = app.options.clock.now();
  for (const [name, { count, hours, make }] of Object.entries(LOGS) as [LogName, (typeof LOGS)[LogName]][]) {
    for (let i = 0; i < count; i++) {
      const at = now - Math.floor((i * hours * HOUR) / count) - SECOND;
      app.logs.add(name, { created_at: timestamp(at), ...make(random, random.pick(app.users.all), at) });
    }
  }
}

/** Addresses of the documentation range. */
const ip = (random: Random) => `192.0.2.${random.int(1, 254)}`;

const place = (random: Random) => ({
  city: random.pick(PLACES.city),
  state: '',
  country: random.pick(PLACES.country),
});

const device = (random: Random) => ({
  ip: ip(random),
  platform: random.pick(['Linux', 'Windows', 'Android']),
  browser: random.pick(['Firefox', 'Chromium']),
  device: 'Unknown',
  device_type: random.pick(['desktop', 'mobile', 'tablet']),
});

const block = (random: Random, username: string, at: number) => ({
  type: random.pick(['Manual', 'Automatic']),
  username,
  start_at: timestamp(at),
  end_at: timestamp(at + 24 * HOUR),
  status: random.pick(['Blocked', 'Unblocked']),
});
