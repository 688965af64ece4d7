import { createSeed, scaleRuns } from '../../randomness';
import type { RecordedRequest } from '../../service/http/recorder';
import { Random } from '../../service/state/random';
import { createPlainValues, type Pick, pickSome } from '../support/randomRecords';
import { AUTO_MAP, getOutput, TestEnvironment } from '../support/testEnvironment';

/**
 * Records that Get Many returns with its defaults can be given back to each operation that writes: nothing differs, so
 * nothing is sent, whatever the records hold.
 */

/** Texts of connected records. */
const NAMES = ['Lamp', 'Lamp', 'Lamp, large', ''];

function createRecord(pick: Pick, listIds: (table: string) => string[]): Record<string, unknown> {
  const [customers, products] = [listIds('Customers'), listIds('Products')];
  return {
    ...createPlainValues(pick),
    file: pick(['', 'https://files.example.com/a.pdf', '/files/a, b.pdf']),
    connection_one: pick([[], [pick(customers)]]),
    // The texts of these records are equal, empty or contain a comma.
    connection_many: pickSome(pick, products.slice(0, NAMES.length)),
    user: pick([[], [pick(listIds('Users'))]]),
  };
}

let env: TestEnvironment;
afterEach(() => env.stop());

test.each([
  [{}, {}],
  [{}, { displayNames: true }],
  [{ compositeReads: 'parts' }, {}],
  [{ compositeReads: 'parts' }, { displayNames: true }],
  [{ omittedOnUpdate: 'blank', omittedNumber: 0 }, {}],
  [{ ids: 'base64' }, {}],
] as const)('what Get Many returns is written back without a request: %j %j', async (reading, options) => {
  env = await TestEnvironment.start(reading);
  const random = new Random(createSeed());
  const pick: Pick = (values) => random.pick(values);
  const products = env.getTable('Products');
  [...products.records.keys()]
    .slice(0, NAMES.length)
    .forEach((id, index) => products.update(id, { name: NAMES[index] }));
  const table = env.getTable('Showcase');
  for (const id of [...table.records.keys()]) table.delete(id);
  const listIds = (name: string) => [...env.getTable(name).records.keys()];
  for (let run = 0; run < scaleRuns(150); run++) {
    table.insert({ ...createRecord(pick, listIds), unique_text: `key ${run}` });
  }
  const before = structuredClone([...table.records.values()]);

  const includeTotal = { options: { ...options, includeTotal: true } };
  const read = getOutput(await env.runRecordOperation('getAll', table, { returnAll: true, ...includeTotal }));
  expect(read).toHaveLength(before.length);
  const columns = { ...AUTO_MAP, matchingColumns: ['unique_text'] };
  const since = env.service.requests.length;
  const outputs = [
    await env.runRecordOperation('update', table, { recordId: '={{ $json.id }}', columns }, read),
    await env.runRecordOperation('upsert', table, { columns }, read),
    await env.runRecordOperation('sync', table, { columns }, read),
  ].map(getOutput);
  const [updated = [], upserted = []] = outputs;
  expect([...updated, ...upserted].filter(({ _action }) => _action !== 'unchanged')).toEqual([]);
  expect(upserted).toHaveLength(before.length);
  const isWrite = ({ method, intent }: RecordedRequest) => method !== 'GET' && intent !== 'list';
  expect(env.listRequests(since)).toContain('GET /api/v1/data-tables/{dataTableId}/records/{recordId}');
  expect(env.service.requests.slice(since).filter(isWrite)).toEqual([]);
  expect([...table.records.values()]).toEqual(before);
  expect(env.takeViolations()).toEqual([]);
});
