import { createSeed, scaleRuns } from '../../randomness';
import { Random } from '../../service/state/random';
import { getOutput, TestEnvironment, toColumns } from '../support/testEnvironment';

/**
 * Whatever a record holds, an update of one column leaves the others as they are, under every reading of the spec of
 * what an update leaves out and of how a composite is returned.
 */

const TEXTS = [
  '',
  ' ',
  'a',
  'A+',
  '0',
  '-1',
  '=1+1',
  '{"a": 1}',
  'a, b',
  'Zoë\n"x"',
  '<p>x</p>',
  'null',
  '[]',
];
const DAYS = [null, '2024-02-29', '1969-12-31', '2999-01-01'];
const LETTERS = ['a', 'b', 'c'];

type Pick = <T>(values: readonly T[]) => T;

function createRecord(pick: Pick, listIds: (table: string) => string[]): Record<string, unknown> {
  const some = <T>(values: readonly T[]) => values.filter(() => pick([true, false]));
  const day = () => pick(DAYS);
  const [customers, products] = [listIds('Customers'), listIds('Products')];
  return {
    text: pick(TEXTS),
    long_text: pick(TEXTS),
    rich_text: pick(TEXTS),
    phone: pick(['', '+1 555 0100', '0100']),
    email: pick(['', 'ada@example.com']),
    number: pick([null, 0, 7, -1.5, 1e21]),
    currency: pick([null, 0, 0.1]),
    decision_box: pick([0, 1]),
    date: day(),
    time: pick([null, '00:00:00', '23:59:59']),
    date_time: pick([null, '2025-03-30 02:30:00', '2025-10-26 02:30:00']),
    calendar: { start: day(), end: day() },
    name: { title: pick(TEXTS), first_name: pick(TEXTS), middle_name: '', last_name: pick(TEXTS) },
    address: {
      address: pick(TEXTS),
      address2: '',
      city: pick(TEXTS),
      state: '',
      zip: pick(['', '012']),
      country: '',
    },
    select: pick(['', ...LETTERS]),
    radio: pick(['', ...LETTERS]),
    dropdown: pick(['', ...LETTERS]),
    multi_select: some(LETTERS),
    checkbox: some(LETTERS),
    connection_one: pick([[], customers.slice(0, 1)]),
    connection_many: some(products.slice(0, 3)),
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

test.each([
  ['send', { omittedOnUpdate: 'keep' }],
  ['send', { omittedOnUpdate: 'blank' }],
  ['send', { omittedOnUpdate: 'blank', omittedNumber: 0 }],
  ['send', { omittedOnUpdate: 'blank', compositeReads: 'parts' }],
  ['kept', { omittedOnUpdate: 'keep' }],
] as const)('values that an update does not name stay: %s %j', async (columnsNotSent, options) => {
  const env = await TestEnvironment.start(options);
  const random = new Random(createSeed());
  const { baseUrl, keys } = env.service;
  await env.engine.setCredential('recordDatabaseApi', {
    ...{ baseUrl, ...keys, columnsNotSent },
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
});
