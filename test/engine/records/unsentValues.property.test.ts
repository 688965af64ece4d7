import { createSeed, scaleRuns } from '../../randomness';
import { Random } from '../../service/state/random';
import { createPlainValues, type Pick, pickSome } from '../support/randomRecords';
import { getOutput, TestEnvironment, toColumns } from '../support/testEnvironment';

/**
 * Whatever a record holds, an update of one column leaves the others as they are, under every reading of the spec of
 * how a composite is returned.
 */

function createRecord(pick: Pick, listIds: (table: string) => string[]): Record<string, unknown> {
  const [customers, products] = [listIds('Customers'), listIds('Products')];
  return {
    ...createPlainValues(pick),
    connection_one: pick([[], customers.slice(0, 1)]),
    connection_many: pickSome(pick, products.slice(0, 3)),
  };
}

/** Columns that a run may change, with the value of the item. */
const CHANGES: Array<[column: string, slug: string, value: unknown]> = [
  ['text', 'text', 'changed'],
  ['number', 'number', 42],
  ['decision_box', 'decision_box', 'true'],
  ['name[first_name]', 'name', 'Changed'],
  ['calendar__start', 'calendar', '2025-05-05'],
  ['multi_select', 'multi_select', 'c'],
];

test.each([{}, { omittedNumber: 0 }] as const)(
  'values that an update does not name stay: %j',
  async (options) => {
    const env = await TestEnvironment.start(options);
    const random = new Random(createSeed());
    const { baseUrl, keys } = env.service;
    await env.engine.setCredential('recordDatabaseApi', {
      baseUrl,
      ...keys,
      advancedSettings: true,
    });
    const table = env.getTable('Showcase');
    const listIds = (name: string) => [...env.getTable(name).records.keys()];
    for (let run = 0; run < scaleRuns(100); run++) {
      const [column, slug, value] = random.pick(CHANGES);
      const { id } = table.insert(createRecord((values) => random.pick(values), listIds));
      const before = structuredClone(table.records.get(id)!);
      const columns = toColumns({ [column]: value });
      getOutput(await env.runRecordOperation('update', table, { recordId: id, columns }));
      // The Formula column follows the numbers.
      const ignored = { [slug]: null, formula: null };
      expect({ ...table.records.get(id), ...ignored }).toEqual({ ...before, ...ignored });
    }
    expect(env.takeViolations()).toEqual([]);
    await env.stop();
  },
);
