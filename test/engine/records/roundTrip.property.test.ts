import { omit, omitBy, sortBy } from 'lodash';
import { createSeed, scaleRuns } from '../../randomness';
import type { Field } from '../../service/data/field';
import type { RecordedRequest } from '../../service/http/recorder';
import { Random } from '../../service/state/random';
import { createPlainValues, type Pick, pickSome } from '../support/randomRecords';
import { AUTO_MAP, getOutput, TestEnvironment } from '../support/testEnvironment';

/**
 * Records that Get Many returns with its defaults can be given back to each operation that writes: nothing differs, so
 * nothing is sent, whatever the records hold. Create makes equal records of them, without what cannot be written.
 */

/** Texts of connected records. */
const NAMES = ['Lamp', 'Lamp', 'Lamp, large', ''];

/** Values of the fields that only the service as met has, and of those that have more parts there. */
const createMetValues = (pick: Pick): Record<string, unknown> => ({
  calendar: { start: pick(MOMENTS), end: pick(MOMENTS), all_day: pick(['Yes', 'No']) },
  address: {
    address: pick(['', '1 Main Street\n2nd floor']),
    address2: '',
    city: pick(['', 'Łódź']),
    state: '',
    zip: '',
    country: '',
    ...pick([{}, { lng: '-1.5', lat: '53.8' }]),
  },
  link: { link: pick(['', 'https://shop.example/a?b=c&d="e"']) },
  slider: pick([null, 0, 7.5]),
  rating: pick([null, 0, 4]),
  date_range: { start: pick(MOMENTS), end: pick(MOMENTS), all_day: pick(['Yes', 'No']) },
  files: pick([[], ['/files/a.pdf', '/files/b, c.pdf']]),
  image: pick(['', { src: 'https://files.example/a.png', width: 5, height: 5, public_id: 'a' }]),
  password: pick(['', 'secret']),
  select_with_score: pick(['', 'a', 'b']),
});

const MOMENTS = [null, '2031-03-02 00:00:00', '2031-03-02 09:00:00', '1969-12-31 23:59:59'];

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

/** Coordinates are the service's own. A range without ends has no `all_day`. */
function withoutDerived(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { all_day: allDay } = value as Record<string, unknown>;
  const parts: Record<string, unknown> = omit(value as Record<string, unknown>, ['lat', 'lng', 'all_day']);
  return 'start' in parts ? { ...parts, all_day: (parts.start ?? parts.end) && allDay } : parts;
}

let env: TestEnvironment;
afterEach(() => env.stop());

test.each([
  [{}, {}],
  [{}, { simplify: 'names' }],
  [{ omittedNumber: 0 }, {}],
  [{ systemColumns: 'listed' }, { simplify: 'names' }],
  [{ profile: 'met' }, {}],
  [{ profile: 'met' }, { simplify: 'off' }],
  [{ profile: 'met' }, { simplify: 'names' }],
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
    const met = env.service.options.compositeValues === 'met' ? createMetValues(pick) : {};
    table.insert({ ...createRecord(pick, listIds), ...met, unique_text: `key ${run}` });
  }
  const before = structuredClone([...table.records.values()]);

  const parameters = { returnAll: true, ...options, options: { includeTotal: true } };
  const read = getOutput(await env.runRecordOperation('getAll', table, parameters));
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
  expect(env.service.requests.slice(since).filter(isWrite)).toEqual([]);
  expect([...table.records.values()]).toEqual(before);

  for (const { id } of before) table.delete(id);
  // A mask, and a number that may be rounded, cannot be written to another record.
  const copies = read.map((item) =>
    omitBy(item, (value, key) => key.toLowerCase() === 'password' || Number(value) > 2 ** 53),
  );
  getOutput(await env.runRecordOperation('create', table, { columns: AUTO_MAP }, copies));
  const isCopied = ({ type, format }: Field) =>
    !format.computed && !['File', 'Files', 'Password'].includes(type);
  // A number beyond the safe integers may have been rounded when it was read, so it is not written.
  const rounded = new Set(
    before.filter(({ number }) => Number(number) > 2 ** 53).map((one) => one.unique_text),
  );
  const toCopy = (record: Record<string, unknown>) => ({
    ...Object.fromEntries(
      table.fields.filter(isCopied).map(({ slug }) => [slug, withoutDerived(record[slug])]),
    ),
    ...(rounded.has(record.unique_text) && { number: 'rounded' }),
  });
  const sortCopies = (records: Iterable<Record<string, unknown>>) =>
    sortBy([...records], 'unique_text').map(toCopy);
  expect(sortCopies(table.records.values())).toEqual(sortCopies(before));
  expect(env.takeViolations()).toEqual([]);
});
