import { DateTime } from 'luxon';
import type { Table } from '../../service';
import { getOutput, TestEnvironment } from '../support/testEnvironment';

/**
 * The service writes `created_at` in the zone of its application, which no answer shows. The credential may name it; until
 * then, the zone of the workflow applies, and the run says so. Neither zone is UTC here.
 */

const env = new TestEnvironment();
let table: Table;
const now = new Date();
const formatIn = (timeZone: string, minutesAgo: number) =>
  new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' }).format(
    now.getTime() - minutesAgo * 60_000,
  );

beforeAll(() => env.start({ timeZone: 'Asia/Tokyo' }, { timezone: 'Europe/Berlin' }));
afterAll(() => env.stop());
beforeEach(() => {
  table = env.service.addTable({
    name: `Dated ${env.service.requests.length}`,
    fields: [{ name: 'Age', type: 'Number' }],
  });
  for (const age of [10, 50, 70, 700])
    Object.assign(table.insert({ age }), { created_at: formatIn('Asia/Tokyo', age) });
});

const inLastHour = (parameters: object = {}) =>
  env.runRecordOperation('getAll', table, {
    returnAll: true,
    filterMode: 'manual',
    conditions: {
      items: [
        {
          field: 'created_at|dateTime',
          operator: 'is after',
          dateValue: '={{ $now.minus({ hours: 1 }).toISO() }}',
        },
      ],
    },
    ...parameters,
  });
const HINT =
  '"Created At" was compared in the time zone of the workflow, Europe/Berlin. If the service uses another time zone, set that zone as Service Time Zone in the credential.';

test('with the zone in the credential, the last hour is the last hour', async () => {
  await env.setCredentialFields({ serviceTimeZone: 'Asia/Tokyo' });
  const run = await inLastHour();
  expect(getOutput(run).map(({ age }) => age)).toEqual([10, 50]);
  expect(run.getHints('Node')).toEqual([]);
});

test.each([
  ['is', [0, 23]],
  ['is not', [-1, 24]],
  ['is after', [24]],
  ['is on or after', [0, 23, 24]],
  ['is before', [-1]],
  ['is on or before', [-1, 0, 23]],
  ['between', [0, 23]],
])('$today is the day of the workflow: %s', async (operator, hours) => {
  await env.setCredentialFields({ serviceTimeZone: 'Asia/Tokyo' });
  for (const { id } of [...table.records.values()]) table.delete(id);
  const today = DateTime.now().setZone('Europe/Berlin').startOf('day');
  for (const age of [-1, 0, 23, 24]) {
    const moment = age === 24 ? today.plus({ days: 1 }) : today.set({ hour: Math.max(age, 0) });
    const created = (age < 0 ? today.minus({ seconds: 1 }) : moment).setZone('Asia/Tokyo');
    Object.assign(table.insert({ age }), { created_at: created.toFormat('yyyy-MM-dd HH:mm:ss') });
  }
  for (const dateValue of ['={{ $today }}', '={{ $today.toISO() }}']) {
    const row = { field: 'created_at|dateTime', operator, dateValue, dateTo: dateValue };
    const run = await inLastHour({ conditions: { items: [row] } });
    expect(getOutput(run).map(({ age }) => age)).toEqual(hours);
  }
});

test('without it, the zone of the workflow applies, and one hint names it', async () => {
  await env.setCredentialFields({ serviceTimeZone: '' });
  const run = await inLastHour({ limit: 1 });
  // Tokyo is 7 or 8 hours ahead of Berlin, so all records seem to be from the future.
  expect(getOutput(run).map(({ age }) => age)).toEqual(expect.arrayContaining([10, 50, 70]));
  expect(run.getHints('Node').map(({ message }) => message)).toEqual([HINT]);
  const search = await env.runRecordOperation('getAll', table, {
    filterMode: 'json',
    filterJson: JSON.stringify({ created_at: { '>': formatIn('Europe/Berlin', 60) } }),
  });
  expect(search.getHints('Node').map(({ message }) => message)).toEqual([HINT]);
});

test.each([
  { field: 'created_at|dateTime', operator: 'is not blank' },
  { field: 'age|number', operator: 'higher than', numberValue: 0 },
])('a condition that compares with no creation date gives no hint: %j', async (row) => {
  await env.setCredentialFields({ serviceTimeZone: '' });
  const run = await inLastHour({ conditions: { items: [row] } });
  expect(getOutput(run)).toHaveLength(4);
  expect(run.getHints('Node')).toEqual([]);
});
