import { encodeRecordValues } from '../../nodes/client/records/payload';
import type { Fault } from '../service';
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
  const table = await client.tables.get(env.service.getTable('Owned').id);
  const entries = encodeRecordValues({ code, note: 'visible' }, table, { timeZone: 'UTC' });
  const unique = { table, field: table.field('Code', 'Columns'), value: code };
  const { body, action } = await client.records.createUnique(unique, () =>
    client.records.create({ tableId: table.id, entries }),
  );
  return `${action} ${body.item.id}`;
}

const CREATE = { method: 'POST', pattern: /records$/ };
/** Adds a fault to the `nth` POST: a create, then a look-up. */
const failAt = (nth: number, fault: Fault) => env.service.faults.add({ when: { ...CREATE, nth }, fault });

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
  const from = env.service.requests.length;
  expect(await createUnique(code)).toBe(`found ${id}`);
  const creates = env.service.requests.slice(from).filter(({ intent }) => intent === 'create');
  expect(creates).toHaveLength(1);
});

test('is not created again after look-ups that never show whether it exists', async () => {
  const code = createCode();
  failAt(1, { type: 'reset', when: 'before' });
  for (const nth of [2, 3, 4]) failAt(nth, { type: 'status', status: 403 });
  await expect(createUnique(code)).rejects.toMatchObject({ isOutcomeUnknown: true, isRepeatable: true });
  expect(list(code)).toEqual([]);
});

test('of a record that the user does not see is an error that names the value', async () => {
  const code = createCode();
  env.service.getTable('Owned').insert({ code, note: 'of another user' });
  const client = env.createClient({ userLogin: 'password', ...env.service.user });
  await expect(createUnique(code, client)).rejects.toThrow(
    `Another record has "${code}" in "Code", and it cannot be found`,
  );
  expect(list(code)).toHaveLength(1);
});

test('a refusal for another reason is thrown without a look-up', async () => {
  const body = { type: 'error', msg: 'Validation failed', status: 422, errors: { note: ['No'] } };
  failAt(1, { type: 'status', status: 422, body });
  const from = env.service.requests.length;
  await expect(createUnique(createCode())).rejects.toMatchObject({ fieldErrors: { note: ['No'] } });
  expect(env.service.requests.slice(from).filter(({ method }) => method === 'POST')).toHaveLength(1);
});
