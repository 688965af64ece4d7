import type { Table } from '../../service';
import { getOutput, TestEnvironment, toColumns } from '../support/testEnvironment';

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
  '"Created At" was compared in the time zone of the workflow, Europe/Berlin. If the service writes it in another one, give that as Service Time Zone in the credential.';

test('with the zone in the credential, the last hour is the last hour', async () => {
  await env.setCredentialFields({ serviceTimeZone: 'Asia/Tokyo' });
  const run = await inLastHour();
  expect(getOutput(run).map(({ age }) => age)).toEqual([10, 50]);
  expect(run.getHints('Node')).toEqual([]);
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

test('a condition that compares with no date gives no hint', async () => {
  await env.setCredentialFields({ serviceTimeZone: '' });
  const row = { field: 'created_at|dateTime', operator: 'is not blank' };
  const run = await inLastHour({ conditions: { items: [row] } });
  expect(getOutput(run)).toHaveLength(4);
  expect(run.getHints('Node')).toEqual([]);
});

/** Only the record itself shows the zone: the answer to the create, or a reading of it within a minute. */
describe.each(['documented', 'met'] as const)(
  'a record that was just created, on a service as %s',
  (profile) => {
    const other = new TestEnvironment();
    let fresh: Table;
    beforeAll(() => other.start({ profile, timeZone: 'Asia/Tokyo' }, { timezone: 'America/New_York' }));
    afterAll(() => other.stop());
    beforeEach(async () => {
      await other.setCredentialFields({ serviceTimeZone: '' });
      const fields = [{ name: 'Age', type: 'Number' as const }];
      fresh = other.service.addTable({ name: `Fresh ${other.service.requests.length}`, fields });
    });

    const ZONE_HINT =
      /^The service dates new records in UTC\+09:00, and the workflow is in America\/New_York, UTC-0[45]:00\. .*, such as Asia\/Tokyo\.$/;
    const listHints = (run: { getHints(node: string): Array<{ message: string }> }) =>
      run.getHints('Node').map(({ message }) => message);
    const create = () => other.runRecordOperation('create', fresh, { columns: toColumns({ age: 1 }) });
    const readAll = () => other.runRecordOperation('getAll', fresh, { returnAll: true });

    test('gives one hint with the zones that fit', async () => {
      const created = await create();
      expect(created.error).toBeUndefined();
      const read = await readAll();
      const hints = [...listHints(created), ...listHints(read)];
      // An answer with the ID alone shows no date, so the reading does.
      expect(hints).toHaveLength(profile === 'met' ? 1 : 2);
      for (const hint of hints) expect(hint).toMatch(ZONE_HINT);
    });

    test('gives none if the credential names the zone, or the zones are the same', async () => {
      await other.setCredentialFields({ serviceTimeZone: 'Asia/Tokyo' });
      expect([...listHints(await create()), ...listHints(await readAll())]).toEqual([]);
      await other.setCredentialFields({ serviceTimeZone: '' });
      other.service.options.timeZone = 'America/New_York';
      expect([...listHints(await create()), ...listHints(await readAll())]).toEqual([]);
      other.service.options.timeZone = 'Asia/Tokyo';
    });

    test('gives none after a minute, and none for a record of somebody else', async () => {
      Object.assign(fresh.insert({ age: 2 }), { created_at: formatIn('Asia/Tokyo', 15) });
      expect(listHints(await readAll())).toEqual([]);
      await create();
      const real = Date.now.bind(Date);
      const later = jest.spyOn(Date, 'now').mockImplementation(() => real() + 61_000);
      const hints = listHints(await readAll());
      later.mockRestore();
      expect(hints).toEqual([]);
    });

    test('gives none if its date fits no zone', async () => {
      await create();
      const [record] = [...fresh.records.values()];
      Object.assign(record!, { created_at: formatIn('Asia/Tokyo', 7) });
      expect(listHints(await readAll())).toEqual([]);
    });
  },
);
