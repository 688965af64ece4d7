import { createRecord, encodeRecordValues, getTable } from '../../nodes/records';
import type { ApiError } from '../../nodes/service';
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
  const unique = { field: table.requireField('Code', 'Fields'), value: code };
  const { record, action } = await createRecord(client, { table, entries, unique });
  return `${action} ${record.id}`;
}

/** Adds a fault to the `nth` request for records: a create, then a look-up. */
const failAt = (nth: number, fault: Fault) =>
  env.service.faults.add({ when: { pattern: /records$/, nth }, fault });
const EMPTY: Fault = { type: 'status', status: 200, body: { type: 'success', items: [], total_items: 0 } };
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
  failAt(1, fault);
  const result = await createUnique(code);
  expect(list(code).map(({ id }) => `created ${id}`)).toEqual([result]);
});

test('is found after a look-up that fails, and one that returns other records', async () => {
  const code = createCode();
  const { id } = env.service.getTable('Owned').insert({ code });
  const items = [{ id: 'stray', code: 'quite another code' }];
  failAt(2, { type: 'status', status: 403 });
  failAt(3, { type: 'status', status: 200, body: { type: 'success', items, total_items: 1 } });
  const creates = await countCreates(async () => expect(await createUnique(code)).toBe(`found ${id}`));
  expect(creates).toBe(1);
});

test('is not created again after look-ups that never show whether it exists', async () => {
  const code = createCode();
  failAt(1, { type: 'reset', when: 'before' });
  for (const nth of [2, 3, 4]) failAt(nth, { type: 'status', status: 403 });
  await expect(createUnique(code)).rejects.toMatchObject({ isOutcomeUnknown: true, isRepeatable: true });
  expect(list(code)).toEqual([]);
});

test('is created by the second create when the duplicate of the first one no longer exists', async () => {
  const code = createCode();
  failAt(1, refuse(422, { code: ['must be unique'] }));
  const result = await createUnique(code);
  expect(list(code).map(({ id }) => `created ${id}`)).toEqual([result]);
});

test('is found after a refusal that names no column', async () => {
  const code = createCode();
  const { id } = env.service.getTable('Owned').insert({ code });
  failAt(1, refuse(422, {}));
  expect(await createUnique(code)).toBe(`found ${id}`);
});

test('a refusal that names no column is thrown after one create if no record has the value', async () => {
  const code = createCode();
  failAt(1, refuse(422, {}));
  const creates = await countCreates(() =>
    expect(createUnique(code)).rejects.toMatchObject({ status: 422, isOutcomeUnknown: false }),
  );
  expect([creates, list(code)]).toEqual([1, []]);
});

test('of a record that no look-up shows after a lost answer stays unknown, and is sent 5 times', async () => {
  const code = createCode();
  failAt(1, { type: 'reset', when: 'after' });
  for (const nth of [2, 4, 6, 8, 10]) failAt(nth, EMPTY);
  const creates = await countCreates(() =>
    expect(createUnique(code)).rejects.toMatchObject({ isOutcomeUnknown: true, isRepeatable: true }),
  );
  expect([creates, list(code).length]).toEqual([5, 1]);
});

test('of a record that the user does not see is an error that names the value', async () => {
  const code = createCode();
  env.service.getTable('Owned').insert({ code, note: 'of another user' });
  const client = env.createClient({ userLogin: 'password', ...env.service.user });
  const creates = await countCreates(() =>
    expect(createUnique(code, client)).rejects.toThrow(
      `Another record has "${code}" in "Code", and it cannot be found`,
    ),
  );
  expect([creates, list(code).length]).toEqual([2, 1]);
});

test('of a record that differs in case alone is an error that names this record', async () => {
  const code = createCode();
  const { id } = env.service.getTable('Owned').insert({ code: code.toUpperCase(), note: 'visible' });
  // A create, a look-up, and the second create.
  for (const nth of [1, 3]) failAt(nth, refuse(422, { code: ['must be unique'] }));
  const { message, description } = await createUnique(code).then(
    () => ({ message: '', description: '' }),
    (error: ApiError) => error,
  );
  expect(`${message} ${description}`).toContain(id);
  expect(message).not.toContain('cannot be found');
});

test.each([
  [422, { note: ['must be unique'] }],
  [422, { code: ['is too long'] }],
  [403, { code: ['must be unique'] }],
])('a refusal for another reason (%d %j) is thrown without a look-up', async (status, errors) => {
  failAt(1, refuse(status, errors));
  const requests = await env.record(() =>
    expect(createUnique(createCode())).rejects.toMatchObject({ status, fieldErrors: errors }),
  );
  expect(requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
});
