import {
  createMatchKey,
  createRecord,
  encodeRecordValues,
  getTable,
  upsertRecord,
} from '../../nodes/records';
import type { Fault, RecordedRequest } from '../service';
import { ClientEnvironment } from './support';

/** A record with a unique value is created once, or found. */

const env = new ClientEnvironment();
beforeAll(async () => {
  await env.start({ perMinute: 100_000 });
  env.service.addTable({
    name: 'Owned',
    policy: { canSee: ({ note }) => note === 'visible', mayDelete: true },
    fields: [
      { name: 'Code', type: 'Text', unique: true },
      { name: 'Note', type: 'Text' },
    ],
  });
});
afterAll(() => env.stop());
afterEach(() => {
  expect(env.service.violations).toEqual([]);
  env.service.faults.clear();
});

let count = 0;
const createCode = () => `unique-${++count}`;
const list = (code: string) =>
  [...env.service.getTable('Owned').records.values()].filter((record) => record.code === code);

async function createUnique(code: string, client = env.createClient()) {
  const table = await getTable(client, env.service.getTable('Owned').id);
  const entries = encodeRecordValues({ code, note: 'visible' }, table, { timeZone: 'UTC' });
  const key = createMatchKey([{ table, field: table.requireField('Code', 'Fields') }], entries);
  const [result] = await upsertRecord(client, async () => ({
    table,
    key,
    prepare: async () => entries,
    update: async (id) => `found ${id}`,
    async create(creation) {
      const { action, record } = await createRecord(client, { ...creation, isUnique: true });
      return `${action} ${record.id}`;
    },
  }));
  return result;
}

/** Adds a fault to the `nth` request for records: a look-up, then a create. */
const failAt = (nth: number, fault: Fault) =>
  env.service.faults.add({ when: { pattern: /records$/, nth }, fault });
const EMPTY: Fault = { type: 'status', status: 200, body: { type: 'success', items: [], total_items: 0 } };
const OTHERS: Fault = {
  type: 'status',
  status: 200,
  body: { type: 'success', items: [{ id: 'stray', code: 'quite another code' }], total_items: 1 },
};
const refuse = (status: number, errors: object): Fault => ({
  type: 'status',
  status,
  body: { type: 'error', msg: 'Validation failed', status, errors },
});
const isCreate = ({ method, path }: RecordedRequest) => method === 'POST' && path.endsWith('/records');
const countCreates = async (run: () => Promise<unknown>) => (await env.record(run)).filter(isCreate).length;

test('is created, and found the next time', async () => {
  const code = createCode();
  const [created, found] = [await createUnique(code), await createUnique(code)];
  const { id } = list(code)[0]!;
  expect([created, found]).toEqual([`created ${id}`, `found ${id}`]);
});

test.each<[string, Fault]>([
  ['cut off', { type: 'reset', when: 'after' }],
  ['cut off before the create', { type: 'reset', when: 'before' }],
  ['incomplete', { type: 'truncate' }],
])('is created once when the answer is %s', async (_, fault) => {
  const code = createCode();
  failAt(2, fault);
  const result = await createUnique(code);
  expect(list(code).map(({ id }) => `created ${id}`)).toEqual([result]);
});

test.each([
  ['403', { type: 'status', status: 403 }],
  ['other records', OTHERS],
] satisfies Array<[string, Fault]>)('is not created after a look-up with %s', async (_, fault) => {
  failAt(1, fault);
  const creates = await countCreates(() => expect(createUnique(createCode())).rejects.toThrow());
  expect(creates).toBe(0);
});

test.each([
  ['fails', { type: 'status', status: 403 }],
  ['returns other records', OTHERS],
] satisfies Array<[string, Fault]>)(
  'is created once when a look-up after a lost answer %s',
  async (_, fault) => {
    const code = createCode();
    failAt(2, { type: 'reset', when: 'after' });
    failAt(3, fault);
    const creates = await countCreates(async () =>
      expect(await createUnique(code)).toBe(`created ${list(code)[0]!.id}`),
    );
    expect([creates, list(code).length]).toEqual([1, 1]);
  },
);

test('is not created again after look-ups that never show whether it exists', async () => {
  const code = createCode();
  failAt(2, { type: 'reset', when: 'before' });
  for (const nth of [3, 4, 5]) failAt(nth, { type: 'status', status: 403 });
  await expect(createUnique(code)).rejects.toMatchObject({ isOutcomeUnknown: true, isRepeatable: true });
  expect(list(code)).toEqual([]);
});

test('is found when another client creates it after the look-up', async () => {
  const code = createCode();
  const { id } = env.service.getTable('Owned').insert({ code });
  failAt(1, EMPTY);
  const creates = await countCreates(async () => expect(await createUnique(code)).toBe(`found ${id}`));
  expect(creates).toBe(1);
});

test('a refusal after a lost answer does not hide that the record may exist', async () => {
  const code = createCode();
  failAt(2, { type: 'reset', when: 'after' });
  for (const nth of [3, 5, 7, 9, 11]) failAt(nth, EMPTY);
  for (const nth of [4, 6, 8, 10]) failAt(nth, refuse(422, {}));
  await expect(createUnique(code)).rejects.toMatchObject({ isOutcomeUnknown: true, isRepeatable: true });
  expect(list(code)).toHaveLength(1);
});

test('of a record that no look-up shows after a lost answer stays unknown, and is sent 5 times', async () => {
  const code = createCode();
  failAt(2, { type: 'reset', when: 'after' });
  for (const nth of [1, 3, 5, 7, 9, 11]) failAt(nth, EMPTY);
  const creates = await countCreates(() =>
    expect(createUnique(code)).rejects.toMatchObject({ isOutcomeUnknown: true, isRepeatable: true }),
  );
  expect([creates, list(code).length]).toEqual([5, 1]);
});

test('of a record that the user does not see is refused', async () => {
  const code = createCode();
  env.service.getTable('Owned').insert({ code, note: 'of another user' });
  const client = env.createClient({ userLogin: 'password', ...env.service.user });
  const creates = await countCreates(() =>
    expect(createUnique(code, client)).rejects.toMatchObject({ status: 422 }),
  );
  expect([creates, list(code).length]).toEqual([1, 1]);
});

test('of a record that differs in case alone is an error that names this record', async () => {
  const code = createCode();
  const { id } = env.service.getTable('Owned').insert({ code: code.toUpperCase(), note: 'visible' });
  const creates = await countCreates(() => expect(createUnique(code)).rejects.toThrow(id));
  expect(creates).toBe(0);
});

test.each([
  [422, { note: ['must be unique'] }],
  [422, { code: ['is too long'] }],
  [403, { code: ['must be unique'] }],
])('a refusal for another reason (%d %j) is thrown without a further look-up', async (status, errors) => {
  failAt(2, refuse(status, errors));
  const requests = await env.record(() =>
    expect(createUnique(createCode())).rejects.toMatchObject({ status, fieldErrors: errors }),
  );
  expect(requests.filter(({ path }) => path.endsWith('/records'))).toHaveLength(2);
});
