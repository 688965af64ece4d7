import type {
  LogPollParameters,
  PollParameters,
  RecordPollParameters,
  ComparisonEvent,
} from '../../../nodes/RecordDatabasePollingTrigger/form';
import { findChanges, hashPollScope } from '../../../nodes/RecordDatabasePollingTrigger/poll';
import type { Change, PollState } from '../../../nodes/RecordDatabasePollingTrigger/pollState';
import { Client, parseCredential } from '../../../nodes/service';
import { scaleSize } from '../../randomness';
import { type Service, type ServiceOptions, type Table, startService } from '../../service';
import { formatTimestamp } from '../../service/state/time';
import { createFetchPort } from '../../support/fetchPort';

/** Reads the embedded service over HTTP, without n8n: what each watch asks for, and what it makes of the answers. */

const MINUTE = 60_000;
/** What a test that sets the date leaves as it is: all but the date. */
const TIMERS = [
  'hrtime',
  'nextTick',
  'performance',
  'queueMicrotask',
  'setImmediate',
  'clearImmediate',
  'setInterval',
  'clearInterval',
  'setTimeout',
  'clearTimeout',
] as const;
const SERVICE_ZONE = 'Europe/Berlin';

const port = createFetchPort({
  clock: { now: () => performance.now(), sleep: async () => undefined, random: () => 0 },
});

let service: Service;
/** All that a test has started. */
let services: Service[] = [];
let client: Client;
let table: Table;
let now = 0;

const createClient = (fields: object = {}): Client =>
  new Client(
    port,
    parseCredential({
      baseUrl: service.baseUrl,
      ...service.keys,
      userLogin: 'none',
      serviceTimeZone: SERVICE_ZONE,
      ...fields,
    }),
  );

async function start(options: Partial<ServiceOptions> = {}): Promise<void> {
  now = Date.UTC(2026, 5, 1, 12);
  service = await startService({
    sample: 'empty',
    perMinute: 1e6,
    perDay: 1e7,
    timeZone: SERVICE_ZONE,
    clock: { now: () => now },
    ...options,
  });
  services.push(service);
  client = createClient();
  table = service.addTable({
    name: 'Tasks',
    fields: [
      { name: 'Title', type: 'Text' },
      { name: 'Owner', type: 'Text' },
      { name: 'Changed At', type: 'Date-Time' },
      { name: 'Day', type: 'Date' },
    ],
    policy: { canSee: ({ owner }) => owner !== 'hidden', mayDelete: false },
  });
}

beforeEach(() => start());
afterEach(async () => {
  jest.useRealTimers();
  const violations = services.flatMap((one) => one.violations.map(({ message }) => message));
  await Promise.all(services.map((one) => one.stop()));
  services = [];
  expect(violations).toEqual([]);
});

/** What the service's clock shows, some minutes later. */
const format = (minutes = 0): string => formatTimestamp(now + minutes * MINUTE, SERVICE_ZONE);

const COMMON = { returnExisting: false, overlap: 300 };
const ALL_EVENTS: ComparisonEvent[] = ['INSERT', 'UPDATE', 'DELETE', 'LEFT_FILTER', 'NOT_VISIBLE'];
const watchDate = (parameters: Partial<RecordPollParameters> = {}): RecordPollParameters => ({
  ...COMMON,
  detection: 'date',
  tableId: table.id,
  filterInputs: [],
  timeZone: 'UTC',
  dateField: 'changed_at',
  events: [],
  output: 'record',
  columns: [],
  changedFields: [],
  displayNames: false,
  connectedFields: [],
  ...parameters,
});
const watchTable = (parameters: Partial<RecordPollParameters> = {}): RecordPollParameters => ({
  ...watchDate(),
  detection: 'snapshot',
  dateField: 'created_at',
  events: ALL_EVENTS,
  ...parameters,
});
const watchLog = (parameters: Partial<LogPollParameters> = {}): LogPollParameters => ({
  ...COMMON,
  detection: 'log',
  log: 'emails',
  ...parameters,
});
const filterTitle = (title: string) => ({
  match: 'all' as const,
  conditions: [{ field: 'title', operator: 'is', value: title }],
  groups: [],
});

/** A whole list of records, as the service answers it. */
const createPage = (items: object[], total = items.length) => ({
  type: 'success',
  items,
  total_items: total,
  total_pages: Math.ceil(total / 200),
  current_page: 1,
  limit: 200,
});

/** Polls with the state of the poll before. A failed poll keeps it. */
class Poller {
  private state?: PollState;

  constructor(
    private readonly watch: PollParameters,
    private readonly by = client,
  ) {}

  async poll(): Promise<Change[]> {
    const { state: stored } = this;
    // n8n's port makes a client for each poll.
    const by = new Client(port, this.by.credential);
    const { changes, state } = await findChanges(by, this.watch, { stored, scope: 'scope', now });
    this.state = state;
    return changes;
  }

  /** Polls and returns the events with the titles, or the IDs of records without one. */
  async list(): Promise<string[]> {
    return (await this.poll()).map(({ event, key, values }) => `${event} ${String(values.title ?? key)}`);
  }
}

/** The number of requests that an action sends. */
async function countRequests(action: () => Promise<unknown>): Promise<number> {
  const before = service.requests.length;
  await action();
  return service.requests.length - before;
}

describe('the scope', () => {
  test('each setting that defines the watched data makes another one', () => {
    const user = (fields: object) => createClient({ userLogin: 'password', password: 'x', ...fields });
    const watches = [
      watchDate(),
      watchDate({ tableId: 'other' }),
      watchDate({ dateField: 'created_at' }),
      watchTable(),
      watchTable({ tableId: 'other' }),
      watchTable({ filterInputs: '{"title": "a"}' }),
      watchTable({ filterInputs: '{"title": "b"}' }),
      watchTable({ changedFields: ['title'] }),
      watchLog(),
      watchLog({ log: 'logins' }),
    ];
    const scopes = watches.map((watch) => hashPollScope(client, watch));
    for (const watch of [watchDate(), watchTable(), watchLog()]) {
      scopes.push(hashPollScope(createClient({ baseUrl: 'https://other.example' }), watch));
      scopes.push(hashPollScope(createClient({ appId: 'other' }), watch));
    }
    scopes.push(hashPollScope(user({ email: 'a@example.com' }), watchTable()));
    scopes.push(hashPollScope(user({ email: 'b@example.com' }), watchTable()));
    expect(new Set(scopes).size).toBe(scopes.length);
  });

  test('other settings keep it, and the user does where records are found by their dates', () => {
    // An expression in the filter may have another value at each poll.
    const changes = { timeZone: 'Asia/Tokyo', returnExisting: true, overlap: 1, filter: filterTitle('a') };
    expect(hashPollScope(client, watchTable({ ...changes, events: ['DELETE'] }))).toBe(
      hashPollScope(client, watchTable()),
    );
    expect(hashPollScope(client, watchDate(changes))).toBe(hashPollScope(client, watchDate()));
    expect(hashPollScope(client, watchDate({ filterInputs: 'a' }))).toBe(hashPollScope(client, watchDate()));
    const left = createClient({ email: 'left@over.example' });
    expect(hashPollScope(left, watchTable())).toBe(hashPollScope(client, watchTable()));
    const user = createClient({ userLogin: 'token', token: 't' });
    expect(hashPollScope(user, watchDate())).toBe(hashPollScope(client, watchDate()));
    const renewed = createClient({ userLogin: 'token', token: 'u' });
    expect(hashPollScope(renewed, watchTable())).toBe(hashPollScope(user, watchTable()));
  });
});

describe('by date', () => {
  test.each([
    ['changed_at', ['UPSERT new'], ['UPSERT renamed']],
    ['created_at', ['INSERT new'], []],
  ])('%s: the first poll returns nothing, later ones what is new', async (dateField, created, updated) => {
    table.insert({ title: 'old', changed_at: format() });
    const poller = new Poller(watchDate({ dateField }));
    expect(await poller.list()).toEqual([]);
    now += MINUTE;
    const { id } = table.insert({ title: 'new', changed_at: format() });
    table.insert({ title: 'without a date', changed_at: null });
    const found = await poller.list();
    expect(found.filter((text) => !text.includes('without'))).toEqual(created);
    expect(await poller.list()).toEqual([]);
    // Its date stays the same.
    table.update(id, { title: 'renamed' });
    expect(await poller.list()).toEqual(updated);
    expect(await poller.list()).toEqual([]);
  });

  test('a first poll that returns everything', async () => {
    for (const title of ['a', 'b']) table.insert({ title, changed_at: format(-60) });
    expect(await new Poller(watchDate({ returnExisting: true })).list()).toEqual(['UPSERT a', 'UPSERT b']);
  });

  test('only records that match the filter, in one request, also if the service ignores it', async () => {
    const poller = new Poller(watchDate({ filter: filterTitle('a') }));
    await poller.poll();
    for (const title of ['a', 'b']) table.insert({ title, changed_at: format() });
    expect(await countRequests(async () => expect(await poller.list()).toEqual(['UPSERT a']))).toBe(1);
    const items = ['a', 'b'].map((title) => ({ id: `of ${title}`, title, changed_at: format() }));
    service.faults.add({ fault: { type: 'status', status: 200, body: createPage(items) } });
    expect(await poller.list()).toEqual(['UPSERT a']);
  });

  test('a moment in the filter is in the time zone of the workflow, and today in that of the service', async () => {
    const list = async (condition: object, items: object[]) => {
      const filter = { match: 'all' as const, conditions: [condition as { field: string }], groups: [] };
      const watch = watchDate({ filter, timeZone: 'America/New_York', returnExisting: true } as object);
      service.faults.add({
        when: { pattern: /\/records$/ },
        fault: { type: 'status', status: 200, body: createPage(items) },
      });
      return new Poller(watch, createClient({ serviceTimeZone: 'UTC' })).list();
    };
    // The service ignores the filter, so that the poll compares.
    const at = (title: string, changed_at: string) => ({ id: title, title, changed_at });
    expect(
      await list({ field: 'changed_at', operator: 'is before', value: '2026-01-01T17:00:00Z' }, [
        at('before', '2026-01-01 11:59:59'),
        at('at it', '2026-01-01 12:00:00'),
      ]),
    ).toEqual(['UPSERT before']);
    // In New York it is still the day before.
    jest.useFakeTimers({ now: Date.UTC(2026, 0, 2, 2), doNotFake: [...TIMERS] });
    expect(
      await list({ field: 'changed_at', operator: 'is before today' }, [
        at('yesterday', '2026-01-01 23:59:59'),
        at('today', '2026-01-02 00:30:00'),
      ]),
    ).toEqual(['UPSERT yesterday']);
  });

  test('sends the filter beside the dates', async () => {
    const poller = new Poller(watchDate({ filter: filterTitle('a') }));
    await poller.poll();
    await poller.poll();
    const { method, query } = service.requests.at(-1)!;
    expect([method, query]).toMatchObject([
      'GET',
      {
        filters: {
          items: [{ field_id: 'changed_at' }, { field_id: 'title', val: 'a' }],
        },
      },
    ]);
  });

  test('takes the names of connected records', async () => {
    const people = service.addTable({ name: 'People', fields: [{ name: 'Full', type: 'Text' }] });
    const tasks = service.addTable({
      name: 'Owned',
      fields: [
        { name: 'Title', type: 'Text' },
        { name: 'Changed At', type: 'Date-Time' },
        { name: 'Person', type: 'Connection', to: 'People', many: false },
      ],
    });
    const [ada, bob] = ['Ada', 'Bob'].map((full) => people.insert({ full }).id);
    const filterPerson = (value: string) => ({
      match: 'all' as const,
      conditions: [{ field: 'person', operator: 'is', value }],
      groups: [],
    });
    const poller = new Poller(watchDate({ tableId: tasks.id, filter: filterPerson('Ada') }));
    await poller.poll();
    for (const person of [ada, bob])
      tasks.insert({ title: person === ada ? 'a' : 'b', person: [person], changed_at: format() });
    expect(await poller.list()).toEqual(['UPSERT a']);
  });

  test('a filter by a column that was added meanwhile, and by one that was never there', async () => {
    const [day] = table.fields.splice(3, 1);
    await new Poller(watchDate()).poll();
    table.fields.push(day!);
    const filterDay = (field: string) => ({
      match: 'all' as const,
      conditions: [{ field, operator: 'is', value: '2026-06-01' }],
      groups: [],
    });
    const poller = new Poller(watchDate({ filter: filterDay('day') }), createClient());
    await poller.poll();
    table.insert({ title: 'a', day: '2026-06-01', changed_at: format() });
    expect(await poller.list()).toEqual(['UPSERT a']);
    await expect(new Poller(watchDate({ filter: filterDay('gone') })).poll()).rejects.toThrow('"gone"');
  });

  test('a first poll that remembers does not read the whole table', async () => {
    for (let index = 0; index < 1_000; index++)
      table.insert({ changed_at: format(-10 - index), created_at: format(-10 - index) });
    const byCreation = new Poller(watchDate({ dateField: 'created_at' }));
    expect(await countRequests(() => byCreation.poll())).toBe(3);
    const poller = new Poller(watchDate());
    expect(await countRequests(async () => expect(await poller.poll()).toEqual([]))).toBe(2);
  });

  test('a first poll whose newest record is deleted while it reads does not return the old ones later', async () => {
    table.insert({ title: 'old', changed_at: format(-60) });
    table.insert({ title: 'newest', changed_at: format(-1) });
    const poller = new Poller(watchDate());
    const when = { pattern: /\/records$/, skip: 1 };
    service.faults.add({ when, fault: { type: 'status', status: 200, body: createPage([]) } });
    expect(await poller.poll()).toEqual([]);
    table.insert({ title: 'new', changed_at: format() });
    expect(await poller.list()).not.toContain('UPSERT old');
  });

  test('more records than one poll returns come once each, in parts', async () => {
    for (let index = 0; index < 5_300; index++)
      table.insert({ title: `${index}`, changed_at: format(-index / 60) });
    const poller = new Poller(watchDate({ returnExisting: true }));
    const first = await poller.list();
    expect(first.length).toBeGreaterThan(4_900);
    expect(first.length).toBeLessThan(5_300);
    const found = [...first, ...(await poller.list()), ...(await poller.list())];
    expect([found.length, new Set(found).size]).toEqual([5_300, 5_300]);
  });

  test('the records of one second come together, however many', async () => {
    // 10,000 of them: byDate.property.test.ts.
    const count = scaleSize(450, 5_300);
    for (let index = 0; index < count; index++) table.insert({ title: `${index}`, changed_at: format(-1) });
    table.insert({ title: 'next', changed_at: format() });
    const poller = new Poller(watchDate({ returnExisting: true }));
    const found = [await poller.poll(), await poller.poll(), await poller.poll()].map(({ length }) => length);
    expect(found).toEqual([count + 1, 0, 0]);
  });

  test.each([{ sort: 'ignored' }, { filter: 'ignored' }])(
    'a service that answers with %j is read whole',
    async (kind) => {
      const poller = new Poller(watchDate());
      await poller.poll();
      for (let index = 0; index < 250; index++)
        table.insert({ title: `${index}`, changed_at: format(-60 * 24) });
      const fresh = table.insert({ title: 'new', changed_at: format() });
      const rows = [...table.records.values()].reverse();
      const page = 'sort' in kind ? [fresh, ...rows.slice(1, 200)] : rows.slice(-200);
      service.faults.add({ fault: { type: 'status', status: 200, body: createPage(page, 251) } });
      expect(await poller.list()).toContain('UPSERT new');
      expect(await poller.list()).toEqual([]);
    },
  );

  test('a date in the future is no error, also if the service ignores that it is', async () => {
    const poller = new Poller(watchDate());
    await poller.poll();
    const items = [0, 60].map((minutes) => ({ id: `in ${minutes}`, changed_at: format(minutes) }));
    service.faults.add({ fault: { type: 'status', status: 200, body: createPage(items) } });
    expect(await poller.list()).toEqual(['UPSERT in 0']);
  });

  test('fields that cannot be read are an error at once', async () => {
    const fault = { type: 'status' as const, status: 403 };
    service.faults.add({ when: { pattern: /full-fields-info$/ }, times: 9, fault });
    const poll = () => expect(new Poller(watchDate()).poll()).rejects.toThrow();
    expect(await countRequests(poll)).toBe(1);
    service.faults.clear();
  });

  test('two tables with one client have their own fields and records', async () => {
    const other = service.addTable({ name: 'Other', fields: [{ name: 'Moved At', type: 'Date-Time' }] });
    const pollers = [
      new Poller(watchDate()),
      new Poller(watchDate({ tableId: other.id, dateField: 'moved_at' })),
    ];
    for (const poller of pollers) await poller.poll();
    const { id } = other.insert({ moved_at: format() });
    expect(await pollers[0]!.list()).toEqual([]);
    expect(await pollers[1]!.list()).toEqual([`UPSERT ${id}`]);
  });

  test('dates in the future count when they have come', async () => {
    const poller = new Poller(watchDate({ returnExisting: true }));
    table.insert({ title: 'future', changed_at: format(2) });
    table.insert({ title: 'present', changed_at: format() });
    expect(await poller.list()).toEqual(['UPSERT present']);
    now += 2 * MINUTE;
    expect(await poller.list()).toEqual(['UPSERT future']);
  });

  test.each([
    ['day', /^Date Field: "Day" is of the type Date$/],
    ['missing', /"missing"/],
  ])('the field %s is an error', async (dateField, message) => {
    await expect(new Poller(watchDate({ dateField })).poll()).rejects.toThrow(message);
  });

  test('a refused or broken answer is an error and keeps the state', async () => {
    const poller = new Poller(watchDate());
    await poller.poll();
    table.insert({ title: 'new', changed_at: format() });
    for (const answer of [{}, { type: 'success' }, { type: 'success', items: 'none' }, '']) {
      service.faults.add({ fault: { type: 'status', status: 200, body: answer }, times: 5 });
      await expect(poller.poll()).rejects.toThrow();
      service.faults.clear();
    }
    expect(await poller.list()).toEqual(['UPSERT new']);
  });
});

describe('the Service Time Zone', () => {
  const WRONG = { serviceTimeZone: 'America/New_York' };

  test.each([
    ['by date', () => watchDate(), () => table.insert({ title: 'a', changed_at: format() })],
    [
      'by creation date',
      () => watchDate({ dateField: 'created_at', returnExisting: true }),
      () => table.insert(),
    ],
    ['by snapshot', () => watchTable(), () => table.insert()],
    [
      'log',
      () => watchLog({ returnExisting: true }),
      () => service.addLogEntries('emails', { created_at: format() }),
    ],
  ])('%s: a creation date in its future is an error', async (_what, watch, add) => {
    add();
    await expect(new Poller(watch(), createClient(WRONG)).poll()).rejects.toThrow(
      `The service has written ${format()} as a creation date, but in the time zone America/New_York it is 2026-06-01 08:00:00 now`,
    );
    expect(await new Poller(watch()).poll()).toHaveLength(watch().returnExisting ? 1 : 0);
  });

  test('clocks may differ by ten minutes', async () => {
    table.insert({ created_at: format(10) });
    await new Poller(watchTable()).poll();
    table.insert({ created_at: format(11) });
    await expect(new Poller(watchTable()).poll()).rejects.toThrow('as a creation date');
  });
});

describe('logs', () => {
  const add = (entry: object = {}) =>
    service.addLogEntries('emails', { subject: 'Hello', status: 'Pending', created_at: format(), ...entry });

  test('new entries are returned once, equal ones too, and a changed status is none', async () => {
    add();
    const poller = new Poller(watchLog());
    expect(await poller.poll()).toEqual([]);
    now += MINUTE;
    add();
    add();
    add({ subject: 'Other' });
    const changes = await poller.poll();
    expect(changes.map(({ event, values }) => [event, values.subject])).toEqual([
      ['ENTRY', 'Hello'],
      ['ENTRY', 'Hello'],
      ['ENTRY', 'Other'],
    ]);
    expect(new Set(changes.map(({ key }) => key)).size).toBe(3);
    const items = ['Sent', 'Sent', 'Failed'].map((status, index) => ({
      subject: index < 2 ? 'Hello' : 'Other',
      status,
      created_at: format(),
    }));
    const body = { type: 'success', page: 1, total_pages: 1, total_items: 3, items };
    service.faults.add({ fault: { type: 'status', status: 200, body } });
    expect(await poller.poll()).toEqual([]);
    expect(await poller.poll()).toEqual([]);
  });

  test('a log in another order is found whole', async () => {
    const dates = Array.from({ length: 120 }, (_, index) => format(-300 + index));
    const answer = (page: number) => ({
      type: 'success',
      page,
      total_pages: 3,
      total_items: 120,
      items: dates
        .slice((page - 1) * 50, page * 50)
        .map((created_at, index) => ({ subject: `${page} ${index}`, created_at })),
    });
    const addPages = () => {
      for (const page of [1, 2, 3])
        service.faults.add({ fault: { type: 'status', status: 200, body: answer(page) } });
    };
    addPages();
    expect(await new Poller(watchLog({ returnExisting: true })).poll()).toHaveLength(120);
    // A first poll that remembers reads the log for its newest entry, and then the entries after it.
    const poller = new Poller(watchLog());
    for (let reading = 0; reading < 3; reading++) addPages();
    expect(await poller.poll()).toEqual([]);
    dates.push(format());
    service.faults.clear();
    addPages();
    expect(await poller.poll()).toHaveLength(1);
  });

  test('entries without a date are left out', async () => {
    const poller = new Poller(watchLog({ returnExisting: true }));
    add({ created_at: 'yesterday' });
    add();
    expect(await poller.poll()).toHaveLength(1);
  });

  test('pages that are sorted newest first end the reading early', async () => {
    for (let index = 0; index < 500; index++) add({ subject: `${index}`, created_at: format(-60 - index) });
    const poller = new Poller(watchLog());
    expect(await countRequests(() => poller.poll())).toBe(2);
    add({ subject: 'new' });
    expect(await countRequests(async () => expect(await poller.poll()).toHaveLength(1))).toBe(1);
  });
});

describe('snapshots', () => {
  const login = () => {
    const { email, password } = service.user;
    return createClient({ userLogin: 'password', email, password });
  };

  test('created, updated and deleted records, and what left the filter', async () => {
    const [kept, left, gone] = ['a', 'a', 'a'].map((title) => table.insert({ title }));
    const poller = new Poller(watchTable({ filter: filterTitle('a') }));
    expect(await poller.poll()).toEqual([]);
    table.update(kept!.id, { owner: 'x' });
    table.update(left!.id, { title: 'b' });
    table.delete(gone!.id);
    table.insert({ title: 'a' });
    table.insert({ title: 'c' });
    const changes = await poller.poll();
    expect(changes.map(({ event, key, changedFields }) => [event, key, changedFields])).toEqual([
      ['UPDATE', kept!.id, ['owner']],
      ['INSERT', expect.any(String), null],
      ['LEFT_FILTER', left!.id, null],
      ['DELETE', gone!.id, null],
    ]);
    expect(changes.map(({ values }) => values.title)).toEqual(['a', 'a', 'b', undefined]);
    expect(changes[2]!.values.id).toBe(left!.id);
    expect(await poller.poll()).toEqual([]);
  });

  test('have no record that does not match, also if the service ignores the filter', async () => {
    const poller = new Poller(watchTable({ filter: filterTitle('a') }));
    await poller.poll();
    const items = ['a', 'b'].map((title) => ({ id: `of ${title}`, title, created_at: format() }));
    service.faults.add({ fault: { type: 'status', status: 200, body: createPage(items) } });
    expect(await poller.list()).toEqual(['INSERT a']);
  });

  test('a first poll that returns everything, and one that watches some fields', async () => {
    const { id } = table.insert({ title: 'a' });
    const all = new Poller(watchTable({ returnExisting: true }));
    expect(await all.list()).toEqual(['INSERT a']);
    const some = new Poller(watchTable({ changedFields: ['Title'] }));
    await some.poll();
    table.update(id, { owner: 'x' });
    expect(await some.list()).toEqual([]);
    expect(await all.list()).toEqual(['UPDATE a']);
    table.update(id, { title: 'b' });
    expect((await some.poll()).map(({ changedFields }) => changedFields)).toEqual([['title']]);
    await expect(new Poller(watchTable({ changedFields: ['missing'] })).poll()).rejects.toThrow(
      'Watched Fields',
    );
  });

  test('a watched field that was added after the fields were read', async () => {
    const { id } = table.insert({ title: 'a', day: '2026-06-01' });
    const [day] = table.fields.splice(3, 1);
    await new Poller(watchTable()).poll();
    table.fields.push(day!);
    const poller = new Poller(watchTable({ changedFields: ['Day'] }));
    await poller.poll();
    table.update(id, { day: '2026-06-02' });
    expect((await poller.poll()).map(({ changedFields }) => changedFields)).toEqual([['day']]);
  });

  test('a record that the list lacks and that is still there is not gone', async () => {
    const { id } = table.insert({ title: 'a' });
    for (const filter of [undefined, filterTitle('a')]) {
      const poller = new Poller(watchTable({ filter }));
      await poller.poll();
      const { query } = service.requests.findLast(({ path }) => path.endsWith('/records'))!;
      expect(Object.keys(query).includes('filters')).toBe(filter !== undefined);
      service.faults.add({ fault: { type: 'status', status: 200, body: createPage([]) } });
      expect(await poller.list()).toEqual([]);
    }
    table.delete(id);
  });

  // Without a filter: test/engine/polling/snapshot.test.ts.
  test('each missing record is read, 50 in a poll, also with a filter', async () => {
    const ids = Array.from({ length: 120 }, () => table.insert({ title: 'a' }).id);
    const poller = new Poller(watchTable({ filter: filterTitle('a') }));
    await poller.poll();
    for (const id of ids) table.delete(id);
    const sizes: number[] = [];
    for (let poll = 0; poll < 4; poll++) sizes.push((await poller.poll()).length);
    expect(sizes).toEqual([50, 50, 20, 0]);
  });

  test('of 70 missing records, one that is still there is not gone', async () => {
    const ids = Array.from({ length: 70 }, () => table.insert({ title: 'a' }).id);
    const poller = new Poller(watchTable());
    await poller.poll();
    for (const id of ids.slice(1)) table.delete(id);
    service.faults.add({ fault: { type: 'status', status: 200, body: createPage([]) } });
    expect(await poller.poll()).toHaveLength(49);
    const rest = await poller.list();
    expect(rest).toHaveLength(20);
    expect(rest).not.toContain(`DELETE ${ids[0]}`);
  });

  test.each([
    [
      'a fault of the service',
      { status: 500, body: { type: 'error', msg: 'Internal Server Error', status: 500 } },
    ],
    ['a 404 of a proxy', { status: 404, body: { message: 'no route' } }],
    ['a 403 of the keys', { status: 403, body: { type: 'error', msg: 'Permission Denied', status: 403 } }],
    ['a fault, with a user login', { status: 500, body: {} }, 'NOT_VISIBLE'],
    ['a 404 of a proxy, with a user login', { status: 404, body: {} }, 'NOT_VISIBLE'],
  ])('a missing record that cannot be read is an error: %s', async (_what, answer, event = 'DELETE') => {
    const { id } = table.insert({ title: 'a' });
    const poller = new Poller(watchTable(), event === 'DELETE' ? client : login());
    await poller.poll();
    table.delete(id);
    const when = { pattern: new RegExp(`/records/${id}$`) };
    service.faults.add({ when, times: 10, fault: { type: 'status', ...answer } });
    await expect(poller.poll()).rejects.toThrow();
    service.faults.clear();
    expect(await poller.list()).toEqual([`${event} ${id}`]);
  });

  test('with a user login, a record that cannot be read is no longer visible', async () => {
    const [hidden, forbidden, gone] = ['a', 'b', 'c'].map((title) => table.insert({ title }).id);
    const poller = new Poller(watchTable(), login());
    await poller.poll();
    table.update(hidden!, { owner: 'hidden' });
    table.update(forbidden!, { owner: 'hidden' });
    table.delete(gone!);
    const body = { type: 'error', msg: 'Permission Denied', status: 403 };
    const when = { pattern: new RegExp(`/records/${forbidden}$`) };
    service.faults.add({ when, fault: { type: 'status', status: 403, body } });
    expect((await poller.list()).sort()).toEqual(
      [hidden, forbidden, gone].map((id) => `NOT_VISIBLE ${id}`).sort(),
    );
  });

  test('changes that a login never finds are refused', async () => {
    const poll = (events: ComparisonEvent[], by = client) => new Poller(watchTable({ events }), by).poll();
    await expect(poll(['NOT_VISIBLE'])).rejects.toThrow('"Record No Longer Visible" needs a user login');
    await expect(poll(['DELETE', 'UPDATE'], login())).rejects.toThrow('"Record Deleted" cannot be found');
    for (const events of [['NOT_VISIBLE', 'INSERT'], ['DELETE']] as ComparisonEvent[][])
      await expect(poll(events)).resolves.toEqual([]);
    for (const events of [['NOT_VISIBLE'], ['DELETE', 'NOT_VISIBLE'], ['UPDATE']] as ComparisonEvent[][])
      await expect(poll(events, login())).resolves.toEqual([]);
  });

  test('5,001 records are an error before the others are read', async () => {
    const poller = new Poller(watchTable());
    await poller.poll();
    const items = Array.from({ length: 200 }, (_, index) => ({ id: `r${index}`, title: 'a' }));
    service.faults.add({ fault: { type: 'status', status: 200, body: createPage(items, 5_001) } });
    const requests = await countRequests(async () => {
      await expect(poller.poll()).rejects.toThrow('works with up to 5000 records, and 5001 match');
    });
    expect(requests).toBe(1);
  });

  test.each(['deleted', 'renamed'])(
    'a column that is %s changes no record, with and without room for hashes',
    async (how) => {
      // 3,000 records have no room. A column that is renamed is deleted, and another one is new.
      for (const count of how === 'renamed' ? [20, 3_000] : scaleSize([20], [20, 3_000])) {
        const fields = ['Title', 'Extra', 'A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'];
        const wide = service.addTable({
          name: `Wide ${count}`,
          fields: fields.map((name) => ({ name, type: 'Text' })),
        });
        const values = Object.fromEntries(fields.map((name) => [name.toLowerCase(), name]));
        const ids = Array.from({ length: count }, () => wide.insert(values).id);
        const poller = new Poller(watchTable({ tableId: wide.id }));
        await poller.poll();
        const [field] = wide.fields.splice(1, 1);
        if (how === 'renamed') wide.fields.push({ ...field!, name: 'Other', slug: 'other' });
        for (const record of wide.records.values()) {
          if (how === 'renamed') record.other = record.extra;
          delete record.extra;
        }
        expect(await poller.list()).toEqual([]);
        wide.update(ids[0]!, { title: 'changed' });
        expect(await poller.list()).toEqual(['UPDATE changed']);
      }
    },
  );

  test('a value that every record loses is a change', async () => {
    const { id } = table.insert({ title: 'a', owner: 'x' });
    const poller = new Poller(watchTable());
    await poller.poll();
    table.update(id, { owner: '' });
    expect((await poller.poll()).map(({ changedFields }) => changedFields)).toEqual([['owner']]);
  });
});
