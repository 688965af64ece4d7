/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { range } from 'lodash';
import { CHECKS } from '../../scripts/firstContact/checks';
import { MAX_REQUESTS } from '../../scripts/firstContact/contact';
import { listenForDeliveries } from '../../scripts/firstContact/hook';
import { formatJson, formatReport, type Report, runFirstContact } from '../../scripts/firstContact/run';
import { readReport } from '../client/readings';
import { scaleSize } from '../randomness';
import { READINGS as ALL, type Service, type ServiceOptions, startService, type Table } from '../service';
import { POINTS } from '../silences';
import { createFetchPort } from '../support/fetchPort';

let service: Service;
let scratch: Table;
const NAME = 'First Contact';

async function start(options: Partial<ServiceOptions> = {}) {
  service = await startService({ perMinute: 100_000, ...options });
  scratch = service.addTable({
    name: NAME,
    fields: [
      { name: 'Title', type: 'Text' },
      { name: 'Note', type: 'Text' },
      { name: 'Count', type: 'Number' },
      { name: 'At', type: 'Date-Time' },
      { name: 'Link', type: 'Connection', to: 'Customers' },
      { name: 'Person', type: 'Name' },
      { name: 'Term', type: 'Calendar' },
    ],
  });
}
afterEach(() => service.stop());

const run = (options: object = {}): Promise<Report> =>
  runFirstContact({
    port: createFetchPort(),
    credential: { baseUrl: service.baseUrl, ...service.keys, userLogin: 'none' },
    scratchTable: NAME,
    print: () => undefined,
    ...options,
  });

const READINGS = [
  'timeZone',
  'omittedNumber',
  'columnsResponse',
  'unknownConnection',
  'createAnswer',
  'symbolicEquality',
  'pagesShape',
  'listKey',
  'webhooksKey',
  'webhooksOfAllTables',
  'missingRecord',
  'systemColumns',
  'logOrder',
] as const;

/** All points at once, first with their default values: each check finds out its own point. */
const SERVICES = range(5).map(
  (n) =>
    Object.fromEntries(READINGS.map((name) => [name, ALL[name].values[n] ?? ALL[name].values[0]])) as object,
);

test.each(SERVICES)('%j is found out', async (options) => {
  await start(options);
  const report = await run();
  expect(report.problem).toBeUndefined();
  expect(report.left).toEqual([]);
  expect(report.requests).toBeLessThanOrEqual(MAX_REQUESTS);
  expect(scratch.records.size).toBe(0);
  const found = Object.assign(
    {},
    ...report.findings.map(({ readings }) => readings),
  ) as Partial<ServiceOptions>;
  for (const name of READINGS) {
    const expected = name === 'timeZone' ? toFixedZone(service.options.timeZone) : service.options[name];
    expect({ [name]: found[name] }).toEqual({ [name]: expected });
  }
  expect(report.settings).toEqual({ serviceTimeZone: toFixedZone(service.options.timeZone) });
});

test('a service that empties what an update does not name is not supported, and the report says so', async () => {
  await start({ omittedOnUpdate: 'blank' });
  const report = await run();
  expect(report.findings).toContainEqual(
    expect.objectContaining({
      id: 'omittedColumns',
      seen: expect.stringContaining('emptied: not supported'),
      readings: { omittedOnUpdate: 'blank' },
    }),
  );
});

/** A zone with the offset that the named one has now. */
function toFixedZone(timeZone: string): string {
  const now = new Date();
  const local = new Date(now.toLocaleString('en-US', { timeZone })).getTime();
  const utc = new Date(now.toLocaleString('en-US', { timeZone: 'UTC' })).getTime();
  const hours = Math.round((local - utc) / 3_600_000);
  return hours === 0 ? 'UTC' : `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`;
}

describe('a service as clients met it', () => {
  const MET = {
    createAnswer: 'recordId',
    updateAnswer: 'bare',
    systemKeys: 'met',
    blankNumber: '',
    omittedOnUpdate: 'keep',
    connectionType: 'Join',
    jsonParts: 'nested',
    listingPost: 'lists',
    containsAny: 'known',
    missingRecord: 'emptyList',
    ids: 'met',
    deliveryForm: 'flatForm',
    deliveryFields: 'saved',
  } as const satisfies Partial<ServiceOptions>;

  /** What a run finds out. Nothing that it has created is left. */
  const find = async (options: Partial<ServiceOptions>): Promise<Partial<ServiceOptions>> => {
    await start({ profile: 'met', ...options });
    const { hook, close } = await listenForDeliveries(0);
    const report = await run({ hook });
    close();
    expect(report.problem).toBeUndefined();
    expect(report.left).toEqual([]);
    expect(report.requests).toBeLessThanOrEqual(MAX_REQUESTS);
    expect(scratch.records.size).toBe(0);
    expect(service.subscriptions).toEqual([]);
    return Object.assign({}, ...report.findings.map(({ readings }) => readings)) as Partial<ServiceOptions>;
  };

  test('is found out', async () => {
    expect(await find({})).toMatchObject(MET);
  });

  test.each<Partial<ServiceOptions>>([
    { createAnswer: 'id' },
    { createAnswer: 'none', updateAnswer: 'recordId' },
    { createAnswer: 'item', updateAnswer: 'item' },
    { connectionType: 'mixed', jsonParts: 'formOnly' },
    { connectionType: 'Connection', jsonParts: 'brackets' },
    { listingPost: 'creates' },
    { containsAny: 'unknown', systemKeys: 'documented' },
    { missingRecord: 'emptyObject', systemKeys: 'idOnly' },
    { missingRecord: 'null', deliveryForm: 'flatJson' },
    { missingRecord: 'zero', deliveryForm: 'documented', deliveryFields: 'all' },
  ])('%j is found out', async (options) => {
    expect(await find(options)).toMatchObject(options);
  });
});

test.each([
  ['documented', 'Times in a form are not stored'],
  ['met', 'Times are stored'],
] as const)('whether a Calendar keeps its times is found out: %s', async (profile, seen) => {
  await start({ profile });
  const { findings } = await run();
  expect(findings).toContainEqual(expect.objectContaining({ id: 'calendarTimes', seen }));
});

test('every open point is in the report, and the JSON has neither keys nor data', async () => {
  await start();
  const report = await run();
  expect(report.findings.map(({ id }) => id)).toEqual(Object.keys(POINTS));
  const json = formatJson(report);
  const text = `${json}${formatReport(report)}`;
  const names = [...service.getTable('Customers')!.records.values()].map(({ id }) => String(id));
  const secrets = [...Object.values(service.keys), ...names, scratch.id, service.baseUrl];
  expect(secrets.filter((secret) => text.includes(String(secret)))).toEqual([]);
  expect(JSON.parse(json)).toMatchObject({ settings: { serviceTimeZone: 'UTC' } });
});

test('the tests of the client start a service that behaves as the one of a report', async () => {
  const readings = { ids: 'met', createAnswer: 'none', timeZone: 'Etc/GMT-2' } as const;
  await start(readings);
  const folder = mkdtempSync(join(tmpdir(), 'record-database-report-'));
  const file = join(folder, 'report.json');
  writeFileSync(file, formatJson(await run()));
  process.env.READING_REPORT = file;
  let support = {} as typeof import('../client/support');
  jest.isolateModules(() => (support = jest.requireActual('../client/support')));
  delete process.env.READING_REPORT;
  rmSync(folder, { recursive: true });
  const env = new support.ClientEnvironment();
  await env.start();
  expect(env.service.options).toMatchObject(readings);
  expect(env.createClient().credential).toMatchObject({ timeZone: 'Etc/GMT-2' });
  await env.stop();
});

test('a report with a reading that the embedded service does not have is an error', () => {
  const folder = mkdtempSync(join(tmpdir(), 'record-database-report-'));
  const file = join(folder, 'report.json');
  const read = (readings: object) => {
    writeFileSync(file, JSON.stringify({ silences: [{ id: 'ids', readings }], settings: {} }));
    return readReport(file);
  };
  expect(read({ omittedNumber: 0 })).toEqual({ options: { omittedNumber: 0 }, settings: {} });
  expect(() => read({ idz: 'plain' })).toThrow('has no reading {"idz":"plain"}');
  expect(() => read({ ids: 5 })).toThrow('has no reading {"ids":5}');
  rmSync(folder, { recursive: true });
});

test('without a scratch table nothing is written', async () => {
  await start();
  const report = await run({ scratchTable: undefined });
  expect(report.problem).toBeUndefined();
  expect(service.requests.filter(({ intent, method }) => intent === 'create' || method === 'DELETE')).toEqual(
    [],
  );
  expect(report.settings).toEqual({});
  const seen = report.findings.filter((finding) => finding.seen !== undefined).map(({ id }) => id);
  expect(seen).toEqual(expect.arrayContaining(['ids', 'totals', 'missingRecord', 'systemColumns']));
});

test('a table that does not exist is named, and nothing is written', async () => {
  await start();
  const report = await run({ scratchTable: 'Missing' });
  expect(report.problem).toContain('0 tables with the name "Missing"');
  expect(scratch.records.size).toBe(0);
});

test('a wrong key ends the run with its reason', async () => {
  await start();
  const report = await run({
    credential: { baseUrl: service.baseUrl, appId: 'a', appKey: 'b', appSecret: 'c', userLogin: 'none' },
  });
  expect(report.problem).toBe('The App ID is not known to the service');
  expect(report.requests).toBe(1);
});

test('deliveries are looked at', async () => {
  await start();
  const { hook, close } = await listenForDeliveries(0);
  const report = await run({ hook });
  close();
  const find = (id: string) => report.findings.find((finding) => finding.id === id)?.seen;
  expect(find('apiDeliveries')).toBe('Changes through the API cause deliveries');
  expect(find('deliveryFields')).toBe('The documented body, with all fields of the record');
  expect(service.subscriptions).toEqual([]);
});

/** Stops the run before its n-th request. */
test('stopped at any request, what was created is deleted', async () => {
  await start();
  const { requests } = await run();
  for (let at = 1; at <= requests; at += scaleSize(7, 1)) {
    const stop = new AbortController();
    const port = createFetchPort({ signal: stop.signal });
    let count = 0;
    const report = await run({
      port: {
        ...port,
        send: (request: never, options: never) => {
          if (++count === at) stop.abort();
          return port.send(request, options);
        },
      },
    });
    expect(report.left).toEqual([]);
    expect(scratch.records.size).toBe(0);
  }
});

test('the plan names each check in words', () => {
  expect(CHECKS.map(({ title }) => title)).toEqual([...new Set(CHECKS.map(({ title }) => title))]);
});
