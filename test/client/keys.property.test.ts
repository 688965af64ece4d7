import { isUndefined, mapValues, omitBy, sortBy, uniqBy } from 'lodash';
import {
  createMatchKey,
  createRecord,
  encodeRecordValues,
  getTable,
  planTableSync,
  updateRecord,
  upsertRecord,
} from '../../nodes/records';
import { ApiError, type Client, ClientGroup, InputError, runSteps } from '../../nodes/service';
import { createSeed, scaleRuns } from '../randomness';
import type { ServiceOptions, Table } from '../service';
import { Random } from '../service/state/random';
import { createFetchPort } from '../support/fetchPort';
import { applyCounted, ClientEnvironment, findColumns } from './support';

/**
 * Random lists of items for Create or Update and Sync, beside a model that runs them one after the other: keys repeat, differ
 * in case, blanks or composition, and the service may store them in another form. The items run as two users.
 */

type StoredText = ServiceOptions['storedText'];
type Column = 'code' | 'email';

interface Row {
  column: Column;
  key: string;
  note?: string;
  extra?: string;
}

/** `unclear`: a record has a key that differs in case alone. */
type Outcome = 'created' | 'updated' | 'unclear';

/** A key of this length is looked up alone. The pages of the table then take fewer requests than two of them. */
const LONG = 'long '.repeat(75);
const CODES = [
  'a1',
  'A1',
  ' a1',
  'a1 ',
  'a1\u200b',
  'b  2',
  'b 2',
  'caf\u00e9',
  'cafe\u0301',
  'x',
  'y',
  `${LONG}1`,
  `${LONG}2`,
];
const EMAILS = ['Ada@example.com', 'ada@example.com', 'bo@example.com', 'BO@example.com', 'cy@example.com'];
const STORED: StoredText[] = [
  [],
  ['trimmed'],
  ['lowerEmails'],
  ['composed'],
  ['trimmed', 'lowerEmails', 'composed'],
  ['upperCase'],
];

const env = new ClientEnvironment();
let table: Table;
beforeAll(async () => {
  await env.start({ perMinute: 1_000_000, perDay: 10_000_000 });
  const text = (name: string) => ({ name, type: 'Text' as const });
  table = env.service.addTable({
    name: 'Keys',
    fields: [text('Code'), { name: 'Email', type: 'Email' }, text('Note'), text('Extra')],
  });
});
afterAll(() => env.stop());
afterEach(() => expect(env.service.violations).toEqual([]));

const mergeBlanks = (text: string) => text.trim().replace(/\s+/g, ' ');
const tidy = (text: string) => mergeBlanks(text.replaceAll('\u200b', '')).normalize('NFC');

/** The form in which a service stores a key. */
function store(column: Column, key: string, stored: StoredText): string {
  let text = key;
  if (stored.includes('trimmed')) text = mergeBlanks(text);
  if (stored.includes('composed')) text = text.normalize('NFC');
  if (column === 'email') return stored.includes('lowerEmails') ? text.toLowerCase() : text;
  return stored.includes('upperCase') ? text.toUpperCase() : text;
}

/** Equal texts are one key. */
const toKey = (column: Column, key: string) => store(column, tidy(key), ['lowerEmails']);

const clear = () => [...table.records.keys()].forEach((id) => table.delete(id));
const list = () =>
  [...table.records.values()].map(({ id, code, email, note, extra }) => ({ id, code, email, note, extra }));

/** The clients of two users of one execution. The second one logs in before its first call. */
function createClients(): Client[] {
  const shared = new ClientGroup(createFetchPort({ clock: env.time }, env.hints));
  const login = { userLogin: 'password', ...env.service.user };
  return [env.createClient({}, undefined, shared), env.createClient(login, undefined, shared)];
}

/** The items of a batch are looked up together. Later batches may use the pages that an earlier one has read. */
const toBatch = (index: number) => Math.floor(index / 4);

/** Creates or updates the record of each row, several at once. */
async function runUpserts(rows: Row[], users: number[]): Promise<Array<{ outcome: Outcome; id?: string }>> {
  const clients = createClients();
  const upsert = async (row: Row, index: number) => {
    const client = clients[users[index]!]!;
    const { column, key, ...values } = row;
    return upsertRecord(client, async () => {
      const fields = await getTable(client, table.id);
      const entries = encodeRecordValues({ [column]: key, ...values }, fields, { timeZone: 'UTC' });
      const createKey = (one: Row) =>
        createMatchKey(
          findColumns(fields, one.column),
          encodeRecordValues({ [one.column]: one.key }, fields, { timeZone: 'UTC' }),
        );
      return {
        table: fields,
        key: createKey(row),
        batch: {
          name: toBatch(index),
          listKeys: async () =>
            rows.filter((_, n) => users[n] === users[index] && toBatch(n) === toBatch(index)).map(createKey),
        },
        prepare: async () => entries,
        update: async (recordId, change) => {
          await updateRecord(client, { table: fields, recordId, ...change, timeZone: 'UTC' });
          return { outcome: 'updated' as Outcome, id: recordId };
        },
        create: async (creation) => {
          const { record } = await createRecord(client, creation);
          return { outcome: 'created' as Outcome, id: record.id };
        },
      };
    });
  };
  const results = await runSteps(
    rows.map((row, index) => ({ row, index })),
    { concurrency: 5, continuesOnFail: true },
    ({ row, index }) => upsert(row, index),
  );
  return results.map(({ value, error }) => value?.[0] ?? toOutcome(error));
}

function toOutcome(error: unknown): { outcome: Outcome; id?: string } {
  if (/they differ in case alone$/.test((error as ApiError).message)) return { outcome: 'unclear' };
  throw error as Error;
}

/** A record of the model, with the values that the service stores, and the key for which this run has created it. */
type Stored = { id?: string; madeFor?: string } & Record<Column | 'note' | 'extra', string>;

/** Runs the rows one after the other, and compares each outcome. A row that was not sent because of another is left out. */
function follow(
  model: Stored[],
  rows: Row[],
  results: Array<{ outcome: Outcome; id?: string }>,
  stored: StoredText,
): void {
  for (const [index, { column, key, note, extra }] of rows.entries()) {
    const { outcome, id } = results[index]!;
    const getKey = (record: Stored) => toKey(column, record.madeFor ?? record[column]);
    const equal = model.filter((record) => getKey(record) === toKey(column, key));
    const exact = equal.filter((record) => record[column] === key && record.madeFor === undefined);
    const found = exact.length > 0 ? exact : equal;
    const lower = toKey(column, key).toLowerCase();
    const isSimilar = model.some((record) => getKey(record).toLowerCase() === lower);
    const isTidy = found.length === 0 || tidy(key) === key;
    const written = isTidy || found[0]?.madeFor !== undefined ? { [column]: key } : {};
    const values = mapValues(omitBy({ ...written, note, extra }, isUndefined), (text, slug) =>
      store(slug === 'email' ? 'email' : 'code', text!, stored),
    );
    const expected = found.length > 0 ? 'updated' : isSimilar ? 'unclear' : 'created';
    expect({ index, key, outcome }).toEqual({ index, key, outcome: expected });
    for (const record of found) Object.assign(record, values);
    const blank = { code: '', email: '', note: '', extra: '' };
    if (expected === 'created') model.push({ ...blank, ...values, id, madeFor: key });
  }
  for (const record of model) delete record.madeFor;
}

const toPlain = (records: Array<Record<string, unknown>>) =>
  records
    .map(({ id, code, email, note, extra }) => [id, code, email, note, extra].map(String).join('|'))
    .sort();

/** Sets random words for some of the fields of a row. */
const createValues = (random: Random, index: number): Pick<Row, 'note' | 'extra'> => {
  const draw = random.nextInt(0, 3);
  const word = `w${random.nextInt(0, 2)}-${index}`;
  return draw === 0 ? { note: word, extra: word } : draw === 1 ? { extra: word } : { note: word };
};

/** Whether a run with a small share goes on, because a kind of outcome has not been seen. */
const isUnseen = (run: number, seen: Set<string>, kinds: number) => seen.size < kinds && run < 500;

test('lists of Create or Update: the last item wins, and nothing is doubled', async () => {
  const random = new Random(createSeed());
  const seen = new Set<Outcome>();
  for (let run = 0; run < scaleRuns(800) || isUnseen(run, seen, 3); run++) {
    clear();
    const stored = random.pick(STORED);
    env.service.options.storedText = stored;
    const first: Column = random.pick(['code', 'email']);
    // A service that stores blanks or composition as they were sent does not find such a record by its tidy value.
    const keys = (first === 'code' ? CODES : EMAILS).filter((key) => {
      const form = store(first, key, stored);
      return tidy(form) === form;
    });
    const model: Stored[] = [];
    const count = random.nextInt(0, 2);
    for (let n = 0; n < count; n++) {
      const values = {
        code: store('code', `r${n}`, stored),
        email: `r${n}@example.com`,
        note: '',
        extra: '',
      };
      const known = { ...values, [first]: store(first, random.pick(keys), stored) };
      if (model.some((record) => record[first] === known[first])) continue;
      model.push({ ...known, id: table.insert({ ...known }).id });
    }
    const rows = Array.from({ length: random.nextInt(1, 12) }, (_, index): Row => ({
      column: first,
      key: random.pick(keys),
      ...createValues(random, index),
    }));
    for (const isRepeated of [false, true]) {
      // What one user has created, another one finds as the service has stored it.
      const users = rows.map(() => (stored.includes('upperCase') ? 0 : random.nextInt(0, 1)));
      const before = list();
      const results = await runUpserts(rows, users);
      for (const { outcome } of results) seen.add(outcome);
      follow(model, rows, results, stored);
      expect(toPlain(list())).toEqual(toPlain(model));
      const made = results.filter(({ outcome }) => outcome === 'created');
      expect(isRepeated && !stored.includes('upperCase') ? made : []).toEqual([]);
      // No new record has the key of another one.
      for (const { id } of made) {
        const own = list().find((record) => record.id === id)!;
        const others = before.filter((record) => toKey(first, String(record[first])) === toKey(first, String(own[first]))); // prettier-ignore
        expect(others).toEqual([]);
      }
    }
  }
  expect([...seen].sort()).toEqual(['created', 'unclear', 'updated']);
});

test('lists of Sync: nothing is doubled, and a repeated run creates nothing', async () => {
  const random = new Random(createSeed());
  const seen = new Set<string>();
  const sync = async (rows: Row[]) => {
    const client = random.pick(createClients());
    const fields = await getTable(client, table.id);
    const inputs = rows.map(({ column, key, note }, index) => {
      const entries = encodeRecordValues({ [column]: key, note }, fields, { timeZone: 'UTC' });
      return { index, read: () => ({ entries }) };
    });
    const plan = await planTableSync(client, {
      table: fields,
      columns: findColumns(fields, rows[0]!.column),
      inputs,
    });
    const continuesOnFail = random.nextBoolean(0.5);
    return applyCounted(client, { plan, timeZone: 'UTC', continuesOnFail });
  };
  for (let run = 0; run < scaleRuns(600) || isUnseen(run, seen, 2); run++) {
    clear();
    const stored = random.pick(STORED.slice(0, -1));
    env.service.options.storedText = stored;
    const column: Column = random.pick(['code', 'email']);
    const keys = sortBy(column === 'code' ? CODES : EMAILS, () => random.next());
    const [known, ...given] = keys;
    if (random.nextBoolean(0.5)) table.insert({ [column]: store(column, known!, stored) });
    const different = uniqBy(given, (key) => toKey(column, key).toLowerCase());
    const rows = (random.nextBoolean(0.5) ? different : given)
      .slice(0, random.nextInt(1, given.length))
      .map((key, n): Row => ({ column, key, note: `n-${n}` }));
    for (const isRepeated of [false, true]) {
      const before = table.records.size;
      const outcome = await sync(rows).catch((error: unknown) => {
        if (!(error instanceof InputError)) throw error;
        return undefined;
      });
      const values = list().map((record) => toKey(column, String(record[column])));
      expect(new Set(values).size).toBe(values.length);
      const mayGrow = !isRepeated && outcome !== undefined;
      expect(mayGrow || table.records.size === before).toBe(true);
      if (!outcome) {
        seen.add('refused');
        break;
      }
      const failed = new Set(outcome.results.flatMap((one) => (one.action === 'failed' ? [one.index] : [])));
      seen.add(failed.size > 0 ? 'failed' : 'written');
      if (failed.size > 0) continue;
      for (const { key, note } of rows)
        expect(
          list().filter((record) => toKey(column, String(record[column])) === toKey(column, key)),
        ).toMatchObject([{ note }]);
    }
  }
  expect([...seen].sort()).toEqual(['refused', 'written']);
});
