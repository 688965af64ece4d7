import type { Application } from '../state/application';
import type { LogName, Logs } from '../state/logs';
import { Random } from '../state/random';
import { formatTimestamp, HOUR, SECOND } from '../state/time';
import type { User } from '../state/users';
import { PLACES } from './people';

/** Writes milliseconds as the service does. */
type Format = (ms: number) => string;

type CreateEntry = (random: Random, user: User, at: number, format: Format) => Record<string, unknown>;

/** Number of entries of each log, the hours they cover, and the fields of one entry. */
const LOGS: Record<LogName, { count: number; hours: number; make: CreateEntry }> = {
  'failed-logins': {
    count: 180,
    hours: 720,
    make: (random) => ({
      username: `guess${random.nextInt(1, 40)}@example.com`,
      ...pickPlace(random),
      ...pickDevice(random),
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
      ...pickPlace(random),
      ...pickDevice(random),
    }),
  },
  'page-views': {
    count: 420,
    hours: 240,
    make: (random, user) => ({
      url: `/${random.pick(['shop', 'customers', 'customer-details'])}`,
      data_type_id: '',
      page_id: '',
      ip: pickIp(random),
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
      unique_id: random.nextSecret(12),
      to: `${user.email},office@example.com`,
      subject: 'Your order',
      status: random.pick(['Sent', 'Sent', 'Failed', 'Pending']),
      body: '<p>Thank you</p>',
      from_email: 'shop@example.com',
      from_name: 'Shop',
      browser: 'Firefox',
      ip: pickIp(random),
    }),
  },
  sessions: {
    count: 200,
    hours: 26,
    make: (random, { email, name }, at, format) => ({
      email,
      name,
      expire_at: format(at + random.nextInt(6, 48) * HOUR),
      last_active_at: format(at + HOUR),
      browser: 'Firefox',
      ip: pickIp(random),
    }),
  },
  'blocked-users': {
    count: 60,
    hours: 720,
    make: (random, { email }, ...when) => createBlock(random, email, ...when),
  },
  'blocked-ips': {
    count: 55,
    hours: 720,
    make: (random, _user, ...when) => createBlock(random, pickIp(random), ...when),
  },
  'builder-activities': {
    count: 150,
    hours: 720,
    make: (random, { name, email }) => ({
      type: random.pick(['Page Created', 'Field Updated']),
      ip: pickIp(random),
      user: { name, email },
      metas: [{ name: 'Name', val: random.pick(['Shop', 'Customers', 'Status']) }],
    }),
  },
};

/** The entries are spread evenly until now: the sessions log shows the last 13 hours only. */
export function fillLogs({ logs, options, users }: Application): void {
  const now = options.clock.now();
  const known = [...users.all];
  logs.addLater(() =>
    addSampleEntries(logs, new Random(options.seed), known, now, (ms) =>
      formatTimestamp(ms, options.timeZone),
    ),
  );
}

function addSampleEntries(logs: Logs, random: Random, users: User[], now: number, format: Format): void {
  for (const [name, { count, hours, make }] of Object.entries(LOGS) as [LogName, (typeof LOGS)[LogName]][]) {
    for (let i = 0; i < count; i++) {
      const at = now - Math.floor((i * hours * HOUR) / count) - SECOND;
      logs.add(name, {
        created_at: format(at),
        ...make(random, random.pick(users), at, format),
      });
    }
  }
}

/** An address of the range for documentation (RFC 5737). */
const pickIp = (random: Random) => `192.0.2.${random.nextInt(1, 254)}`;

const pickPlace = (random: Random) => ({
  city: random.pick(PLACES.city),
  state: '',
  country: random.pick(PLACES.country),
});

const pickDevice = (random: Random) => ({
  ip: pickIp(random),
  platform: random.pick(['Linux', 'Windows', 'Android']),
  browser: random.pick(['Firefox', 'Chromium']),
  device: 'Unknown',
  device_type: random.pick(['desktop', 'mobile', 'tablet']),
});

const createBlock = (random: Random, username: string, at: number, format: Format) => ({
  type: random.pick(['Manual', 'Automatic']),
  username,
  start_at: format(at),
  end_at: format(at + 24 * HOUR),
  status: random.pick(['Blocked', 'Unblocked']),
});
