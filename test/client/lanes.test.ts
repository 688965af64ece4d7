/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not shipped: runs on Node */
import { readRecordPage } from '../../nodes/records';
import { clearMemories, type Client, createClient } from '../../nodes/service';
import { type Service, startService } from '../service';
import { type Clock, createFetchPort } from '../support/fetchPort';

/** Which calls go first when the minute of a key is nearly used up. */

/** A clock that stands still until it is released. Then a wait only moves the time. */
class HeldClock implements Clock {
  private at = 0;
  release = () => undefined as void;
  private readonly released = new Promise<void>((resolve) => (this.release = resolve));
  private readonly whenWaiting: () => void;
  /** Resolves when the first call waits. */
  readonly waiting: Promise<void>;

  constructor() {
    let report = () => undefined as void;
    this.waiting = new Promise((resolve) => (report = resolve));
    this.whenWaiting = report;
  }

  now = () => this.at;

  sleep = async (ms: number): Promise<void> => {
    this.whenWaiting();
    await this.released;
    this.at += ms;
  };

  random = () => 0;
}

let clock: HeldClock;
let service: Service;
beforeEach(async () => {
  clearMemories();
  clock = new HeldClock();
  service = await startService({ perMinute: 10, clock: { now: () => Date.UTC(2026, 0, 1) + clock.now() } });
});
afterEach(async () => {
  const { violations } = service;
  await service.stop();
  expect(violations).toEqual([]);
});

const open = (login: object = { userLogin: 'none' }) =>
  createClient(createFetchPort({ clock }), { baseUrl: service.baseUrl, ...service.keys, ...login });
const read = (client: Client, count: number) =>
  Promise.all(
    Array.from({ length: count }, () =>
      readRecordPage(client, { tableId: service.getTable('Customers').id }, 1, 1),
    ),
  );

test('a login goes before the calls of other executions, because all calls of its user wait for it', async () => {
  const long = open();
  await read(long, 1);
  const calls = [read(long, 20)];
  await clock.waiting;
  // The first one takes the part of the minute that is kept for executions that have sent little.
  calls.push(...[open(), open(), open()].map((client) => read(client, 1)));
  calls.push(read(open({ userLogin: 'password', ...service.user }), 1));
  // The login has been sent, or waits for the next minute.
  await new Promise((resolve) => setImmediate(resolve));
  clock.release();
  await Promise.all(calls);
  const paths = service.requests.map(({ path }) => path.replace(/^.*\//, ''));
  // It is among the 10 calls of the first minute, or the first one of the next.
  expect(paths.slice(0, 11)).toContain('login');
});
