import { isEqual } from 'lodash';
import {
  deleteMatchingRecords,
  getTable,
  parseFilterJson,
  prepareEntries,
  selectValuesToWrite,
  selectRecords,
  updateRecord,
} from '../../nodes/records';
import { InputError, runSteps } from '../../nodes/service';
import { createSeed, scaleRuns } from '../randomness';
import { Random } from '../service/state/random';
import { ClientEnvironment } from './support';

/**
 * Random tables whose fields and items use the words of parts, labels and slugs. What is written or deleted is what a word
 * names: a field, or a part with its field. Any other word is an error, and nothing is changed.
 */

const WORDS = [
  'State',
  'Title',
  'City',
  'Start',
  'End',
  'ZIP',
  'First',
  'address',
  'first_name',
  'Home State',
];
const PARTS: Record<string, string> = {
  'Home: State': 'home',
  'home[state]': 'home',
  'home-state': 'home',
  'person.first_name': 'person',
  'Person: First': 'person',
  term__start: 'term',
};
const NAMES = ['PostgreSQL', 'Company123', 'Leonardo77', 'Labradorna', '1234567890', 'Plain name'];

const env = new ClientEnvironment();
beforeAll(() => env.start({ perMinute: 1_000_000, perDay: 10_000_000, unknownConnection: 'dropped' }));
afterAll(() => env.stop());
afterEach(() => expect(env.service.violations).toEqual([]));

let count = 0;
const normalize = (word: string) => word.toLowerCase().replace(/[\s_-]+/g, '');

/** A table with composites, some of the words as text fields, and three records with all values. */
async function open(random: Random) {
  const words = WORDS.filter(() => random.nextBoolean(0.3));
  const firms = env.service.addTable({ name: `Firms ${++count}`, fields: [{ name: 'Label', type: 'Text' }] });
  for (const label of NAMES) firms.insert({ label });
  const stored = env.service.addTable({
    name: `Words ${count}`,
    fields: [
      { name: 'Home', type: 'Address' },
      { name: 'Person', type: 'Name' },
      { name: 'Term', type: 'Calendar' },
      { name: 'Firm', type: 'Connection', to: firms.name, many: false },
      ...words.map((name) => ({ name, type: 'Text' as const })),
    ],
  });
  const slugs = new Map(
    stored.fields.filter(({ type }) => type === 'Text').map(({ name, slug }) => [normalize(name), slug]),
  );
  const texts = Object.fromEntries([...slugs.values()].map((slug) => [slug, 'old']));
  const ids = [1, 2, 3].map(
    () =>
      stored.insert({
        home: { state: 'old', city: 'old', zip: 'old' },
        person: { title: 'old', first_name: 'old' },
        term: { start: '2030-01-01', end: '2030-02-01' },
        ...texts,
      }).id,
  );
  const client = env.createClient();
  return { stored, firms, slugs, ids, client, table: await getTable(client, stored.id) };
}

const pickWord = (random: Random) => random.pick([...WORDS, ...Object.keys(PARTS)]);

test('an item writes the fields that its keys name, and nothing else', async () => {
  const random = new Random(createSeed());
  const seen = new Set<string>();
  // Fewer runs may draw no word that is refused, or none that is written.
  for (let run = 0; run < Math.max(60, scaleRuns(150)); run++) {
    const { stored, slugs, ids, client, table } = await open(random);
    const before = structuredClone([...stored.records.values()]);
    const word = pickWord(random);
    const named = PARTS[word] ?? slugs.get(normalize(word));
    const given = { [word]: word === 'term__start' ? '2031-05-05' : 'new', firm: '' };
    const as = random.pick(['item', 'object'] as const);
    const omitsUnknown = random.nextBoolean(0.5);
    const write = async () => {
      const values = selectValuesToWrite(given, table, { as, notation: 'detect', omitsUnknown });
      const { complete } = await prepareEntries(client, table, values, { timeZone: 'UTC' });
      await updateRecord(client, { table, recordId: ids[0]!, entries: await complete(), timeZone: 'UTC' });
    };
    const error: unknown = await write().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    const after = [...stored.records.values()];
    const changed = before.flatMap((record, index) =>
      Object.keys(record).filter((key) => !isEqual(record[key], after[index]?.[key])),
    );
    seen.add(error ? 'refused' : changed.length > 0 ? 'written' : 'left out');
    expect(error === undefined || error instanceof InputError).toBe(true);
    expect({ word, changed }).toEqual({ word, changed: error || !named ? [] : [named] });
  }
  expect(seen.has('refused') && seen.has('written')).toBe(true);
});

test('a filter with a word that is no field deletes nothing', async () => {
  const random = new Random(createSeed());
  for (let run = 0; run < scaleRuns(150); run++) {
    const { stored, slugs, client, table } = await open(random);
    const word = pickWord(random);
    // Whether the service knows the ends of a range in filters is not documented.
    if (word === 'term__start') continue;
    const named = PARTS[word] ?? slugs.get(normalize(word));
    const filter = parseFilterJson(JSON.stringify({ [word]: { 'is not': 'open' } }));
    const select = () => selectRecords(client, table, { filter, timeZone: 'UTC' });
    const error: unknown = await select()
      .then((selected) => deleteMatchingRecords(client, selected))
      .then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
    expect({ word, isRefused: error !== undefined }).toEqual({ word, isRefused: named === undefined });
    expect(stored.records.size).toBe(named === undefined ? 3 : 0);
  }
});

test('names that look like IDs, and IDs, connect the records that they name', async () => {
  const random = new Random(createSeed());
  for (let run = 0; run < scaleRuns(60); run++) {
    const { stored, firms, ids, client, table } = await open(random);
    const byLabel = new Map([...firms.records.values()].map(({ id, label }) => [String(label), id]));
    const rows = ids.map((id) => {
      const label = random.pick(NAMES);
      const firm = byLabel.get(label)!;
      return { id, firm, text: random.nextBoolean(0.3) ? firm : label };
    });
    await runSteps(rows, { concurrency: 3 }, async ({ id, text }) => {
      const { complete } = await prepareEntries(client, table, { firm: text }, { timeZone: 'UTC' });
      await updateRecord(client, { table, recordId: id, entries: await complete(), timeZone: 'UTC' });
    });
    expect(ids.map((id) => [stored.records.get(id)?.firm].flat())).toEqual(rows.map(({ firm }) => [firm]));
  }
});

test('an ID that no record has is an error before anything is written', async () => {
  const { stored, firms, ids, client, table } = await open(new Random(createSeed()));
  const answered = env.service.options.updateAnswer;
  env.service.options.updateAnswer = 'bare';
  const [firm] = firms.records.keys();
  await updateRecord(client, { table, recordId: ids[0]!, entries: [['firm', firm!]], timeZone: 'UTC' });
  const missing = 'Zz9QqV7xWk';
  const pair = { id: missing, val: '' };
  for (const [given, notation] of [
    [missing, 'detect'],
    [missing, 'ids'],
    ['Plain name', 'ids'],
    [{ id: missing }, 'detect'],
    [pair, 'detect'],
    [{ ...pair, val: 'Plain name' }, 'detect'],
  ] as const) {
    const prepared = prepareEntries(client, table, { firm: given }, { timeZone: 'UTC', notation });
    const error: unknown = await prepared.catch((thrown: unknown) => thrown);
    expect({ given, isRefused: error instanceof InputError }).toEqual({ given, isRefused: true });
  }
  const filter = parseFilterJson({ firm: { 'is not': { id: missing } } });
  await expect(selectRecords(client, table, { filter, timeZone: 'UTC' })).rejects.toThrow(InputError);
  const { complete } = await prepareEntries(client, table, { firm: { id: firm } }, { timeZone: 'UTC' });
  expect((await complete())[0]?.[1]).toBe(firm);
  expect([stored.records.get(ids[0]!)?.firm].flat()).toEqual([firm]);
  env.service.options.updateAnswer = answered;
});
