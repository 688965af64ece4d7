import { omit } from 'lodash';
import { applyUndo, getTable, planUndo, type RecordValues } from '../../nodes/records';
import { ClientEnvironment } from './support';

/** What becomes of each record of an undo, and why. Whole runs are undone in `test/engine/records/undo.test.ts`. */

const env = new ClientEnvironment();
let count = 0;
let table: ReturnType<typeof addTable>;

const addTable = () =>
  env.service.addTable({
    name: `Undone ${++count}`,
    fields: [
      ...['Code', 'Note', 'Twin'].map((name) => ({ name, type: 'Text' as const })),
      { name: 'Twin', slug: 'twin_2', type: 'Text' },
      { name: 'Mail', type: 'Email' },
      { name: 'Price', type: 'Currency' },
      { name: 'Day', type: 'Date' },
      { name: 'Person', type: 'Name' },
      { name: 'Stay', type: 'Date Range' },
      { name: 'Scan', type: 'File' },
      { name: 'Pin', type: 'Password' },
      {
        name: 'Double',
        type: 'Formula',
        formula: { text: '2 * {price}', evaluate: ({ price }) => 2 * Number(price) },
      },
    ],
  });

beforeAll(() => env.start({ perMinute: 100_000 }));
beforeEach(() => (table = addTable()));
afterEach(() => {
  expect(env.service.violations).toEqual([]);
  env.service.faults.clear();
});
afterAll(() => env.stop());

interface Change {
  action: 'created' | 'updated' | 'deleted';
  id: string;
  values?: RecordValues;
  before?: RecordValues;
}

async function plan(...changes: Change[]) {
  const client = env.createClient();
  const context = { client, timeZone: 'UTC' };
  const own = await getTable(client, table.id);
  const undoPlan = await planUndo(
    context,
    changes.map(({ values = {}, ...change }, index) => ({ index, table: own, ...change, values })),
  );
  const apply = (continuesOnFail = false) => applyUndo(context, undoPlan, { continuesOnFail });
  return { client, steps: undoPlan.steps, apply };
}

/** What is to be done with each record, in the order of the changes, and why. */
async function judge(...changes: Change[]) {
  const { steps } = await plan(...changes);
  return steps.reverse().map(({ action, reasons }) => [action, ...reasons].join(': '));
}

const insert = (values: object) => table.insert({ ...values });
const getSteps = (results: Awaited<ReturnType<typeof applyUndo>>) =>
  results.map(({ step, action, error }) => [step.change.id, error ? 'failed' : action]);
const wasChanged = (what: string) => `leave: it was changed after the run: ${what}`;
const toRange = (time: string, all_day?: string) => ({
  start: `2025-03-01 ${time}`,
  end: `2025-03-02 ${time}`,
  ...(all_day && { all_day }),
});
const HOLDS_MORE = (name: string) => `what "${name}" holds is not in the item, or cannot be compared with it`;
const GONE = 'K7pQ2xW9Lm';
/** The item of a whole record. */
const WHOLE = {
  code: 'a',
  note: '',
  twin: '',
  twin_2: '',
  mail: '',
  price: null,
  day: null,
  person: null,
  stay: null,
  scan: '',
  pin: '',
};

describe('a record that the run updated', () => {
  test('gets what it held before the first of several updates', async () => {
    const { id } = insert({ code: 'a', note: 'third' });
    const update = (note: string, before: string): Change => ({
      action: 'updated',
      id,
      values: { note },
      before: { note: before },
    });
    const { apply } = await plan(update('second', 'first'), update('third', 'second'));
    expect(getSteps(await apply())).toEqual([[id, 'updated']]);
    expect(table.records.get(id)!.note).toBe('first');
  });

  test('is left without the old values, or without those of the run', async () => {
    const [one, other, third] = ['a', 'b', 'c'].map((code) => insert({ code, note: 'new' }).id);
    expect(
      await judge(
        { action: 'updated', id: one!, values: { note: 'new' } },
        { action: 'updated', id: other!, values: { code: 'b' }, before: { note: 'old' } },
        { action: 'updated', id: third!, values: { note: 'other' }, before: { note: 'new' } },
      ),
    ).toEqual([
      'leave: the item has no "_before"',
      'leave: the item lacks what the run wrote to "Note"',
      'leave: it is as before',
    ]);
  });

  test('is left if it no longer exists, or does not show what the run wrote', async () => {
    const { id } = insert({ code: 'a', day: '2025-03-01' });
    const change = { action: 'updated' as const, values: { day: '2025-03-01' }, before: { day: null } };
    expect(await judge({ ...change, id: GONE })).toEqual(['leave: it no longer exists']);
    const body = { type: 'success', item: { id, code: 'a' } };
    env.service.faults.add({
      when: { pattern: /records\/\{recordId\}$/ },
      fault: { type: 'status', status: 200, body },
    });
    expect(await judge({ ...change, id })).toEqual([
      'leave: it was changed after the run: "Day" is not shown, and the run wrote "2025-03-01"',
    ]);
  });

  test('names a field whose old value its item lacks, because the service does not show it', async () => {
    const { id } = insert({ code: 'a', price: 2, note: 'new' });
    const values = { code: 'a', price: 2, note: 'new' };
    const body = { type: 'success', item: { id, code: 'a', price: 2 } };
    env.service.faults.add({
      when: { pattern: /records\/\{recordId\}$/ },
      times: Infinity,
      fault: { type: 'status', status: 200, body },
    });
    const change = { action: 'updated' as const, id, values };
    expect(await judge({ ...change, before: {} })).toEqual(['leave: the item lacks the old value of "Note"']);
    expect(await judge({ ...change, before: { price: 1 } })).toEqual([
      'update: the item lacks the old value of "Note"',
    ]);
  });

  test('is updated although another record has the old values, and is named if that fails', async () => {
    insert({ code: 'a', note: 'old' });
    const { id } = insert({ code: 'a', note: 'new' });
    const { apply } = await plan(
      { action: 'updated', id, values: { note: 'new' }, before: { note: 'old' } },
      { action: 'deleted', id: GONE, values: { code: 'b' } },
    );
    env.service.faults.add({
      when: { pattern: /records\/\{recordId\}$/, method: 'POST' },
      fault: { type: 'status', status: 422 },
    });
    const results = await apply(true);
    expect(getSteps(results)).toEqual([
      [GONE, 'created'],
      [id, 'failed'],
    ]);
  });

  test('is not undone by a key that several fields have', async () => {
    const { id } = insert({ code: 'a', note: 'new' });
    const change = { action: 'updated' as const, id, values: { Twin: 'x' }, before: { Twin: 'y' } };
    await expect(plan(change)).rejects.toThrow('"Twin" is the name of several fields');
  });

  test('is read again a minute after the plan', async () => {
    const [one, other] = ['a', 'b'].map((code) => insert({ code, note: 'new' }).id);
    const change = (id: string): Change => ({
      action: 'updated',
      id,
      values: { note: 'new' },
      before: { note: 'old' },
    });
    const { apply } = await plan(change(one!), change(other!));
    await env.time.sleep(61_000);
    table.update(one!, { note: 'theirs' });
    const results = await apply();
    expect(getSteps(results)).toEqual([
      [other, 'updated'],
      [one, 'left'],
    ]);
    expect(results[1]!.step.reasons).toEqual([
      'it was changed after the run: "Note" is "theirs", and the run wrote "new"',
    ]);
    expect(table.records.get(one!)!.note).toBe('theirs');
  });
});

describe('a record that the run created', () => {
  const PERSON = { title: '', first_name: 'Ada', middle_name: '', last_name: '' };

  test.each<[string, object, RecordValues, string]>([
    ['is deleted', {}, {}, 'delete'],
    ['is left if a field was filled', { note: 'theirs' }, {}, `leave: ${HOLDS_MORE('Note')}`],
    [
      'is left if a part was filled that its item does not have',
      { person: { ...PERSON, title: 'Dr' } },
      { person: { first_name: 'Ada' } },
      wasChanged(
        '"Person" is {"title":"Dr","first_name":"Ada","middle_name":"","last_name":""}, and the run wrote {"title":"","first_name":"Ada","middle_name":"","last_name":""}',
      ),
    ],
    [
      'is deleted if a range means the same',
      { stay: toRange('00:00:00', 'Yes') },
      { stay: { start: '2025-03-01', end: '2025-03-02', all_day: 'Yes' } },
      'delete',
    ],
    [
      'is deleted if the item of a range does not say whether it is of whole days',
      { stay: toRange('09:00:00', 'No') },
      { stay: toRange('09:00:00') },
      'delete',
    ],
    [
      'is left if a range became one of whole days',
      { stay: toRange('09:00:00', 'Yes') },
      { stay: toRange('09:00:00') },
      wasChanged(
        '"Stay" is {"start":"2025-03-01 09:00:00","end":"2025-03-02 09:00:00","all_day":"Yes"}, and the run wrote {"start":"2025-03-01 09:00:00","end":"2025-03-02 09:00:00"}',
      ),
    ],
    ['is deleted if a file is blank in another form', {}, { scan: null }, 'delete'],
    [
      'is left for a file that its item does not have',
      { scan: { name: 'a.txt', url: 'https://files.example.com/a.txt' } },
      {},
      `leave: ${HOLDS_MORE('Scan')}`,
    ],
    ['is deleted if the parts are equal', { person: PERSON }, { person: { first_name: 'Ada' } }, 'delete'],
    ['is left if a password was set', { pin: 'secret' }, { pin: '' }, `leave: ${HOLDS_MORE('Pin')}`],
    [
      'is left if a password was set that its item does not have',
      { pin: 'secret' },
      {},
      `leave: ${HOLDS_MORE('Pin')}`,
    ],
  ])('%s', async (_, stored, written, expected) => {
    const { id } = insert({ code: 'a', ...stored });
    expect(await judge({ action: 'created', id, values: { code: 'a', ...written } })).toEqual([expected]);
  });

  test.each<[string | null, string]>([
    ['Ada@Example.com', '"Ada@Example.com"'],
    [null, '""'],
  ])('is left if it holds another text than %j, also in case alone', async (mail, text) => {
    const { id } = insert({ code: 'a', mail: 'ada@example.com' });
    expect(await judge({ action: 'created', id, values: { code: 'a', mail } })).toEqual([
      wasChanged(`"Mail" is "ada@example.com", and the run wrote ${text}`),
    ]);
  });

  test('and deleted is left', async () => {
    const values = { code: 'a' };
    expect(
      await judge({ action: 'created', id: GONE, values }, { action: 'deleted', id: GONE, values }),
    ).toEqual(['leave: the run created and deleted it']);
  });

  test('is deleted before others are written back', async () => {
    const [one, other] = ['a', 'b'].map((code) => insert({ code, note: 'new' }).id);
    const { apply } = await plan(
      { action: 'created', id: one!, values: { code: 'a', note: 'new' } },
      { action: 'updated', id: other!, values: { note: 'new' }, before: { note: 'old' } },
    );
    expect(getSteps(await apply())).toEqual([
      [one, 'deleted'],
      [other, 'updated'],
    ]);
  });

  test('is left if it was changed after the plan', async () => {
    const [one, other] = ['a', 'b'].map((code) => insert({ code }).id);
    const { apply } = await plan(
      { action: 'created', id: one!, values: { code: 'a' } },
      { action: 'created', id: other!, values: { code: 'b' } },
    );
    table.update(one!, { note: 'theirs' });
    const results = await apply();
    expect(new Map(getSteps(results) as Array<[string, string]>)).toEqual(
      new Map([
        [one, 'left'],
        [other, 'deleted'],
      ]),
    );
    expect(results.find(({ action }) => action === 'left')!.step.reasons).toEqual([HOLDS_MORE('Note')]);
    expect([...table.records.keys()]).toEqual([one]);
  });

  test.each([
    [false, 'new'],
    [true, 'old'],
  ])('and that cannot be deleted ends the undo, unless it continues on fail: %p', async (continues, note) => {
    const [one, other] = ['a', 'b'].map((code) => insert({ code, note: 'new' }).id);
    const { apply } = await plan(
      { action: 'updated', id: other!, values: { note: 'new' }, before: { note: 'old' } },
      { action: 'created', id: one!, values: { code: 'a', note: 'new' } },
    );
    env.service.faults.add({ when: { method: 'DELETE' }, fault: { type: 'status', status: 422 } });
    const results = await apply(continues);
    expect(getSteps(results)).toEqual([[one, 'failed'], ...(continues ? [[other, 'updated']] : [])]);
    expect(table.records.get(other!)!.note).toBe(note);
  });
});

describe('a record that the run deleted', () => {
  test('is created anew, and what is lost is named', async () => {
    const values = {
      code: 'a',
      scan: { name: 'a.txt', url: 'https://files.example.com/a.txt' },
      pin: '********',
      double: 4,
      gone: 'x',
      gone_id: 'y',
      _mine: 1,
    };
    const { steps, apply } = await plan({ action: 'deleted', id: GONE, values });
    expect(steps).toMatchObject([
      {
        action: 'create',
        reasons: [
          'the values of "Pin", "gone", "Scan" are lost',
          'the item lacks "Note", "Twin", "Mail", "Price", "Day", "Person", "Stay"',
        ],
        shown: { code: 'a' },
      },
    ]);
    await apply();
    expect([...table.records.values()]).toMatchObject([{ code: 'a', scan: '', pin: '' }]);
  });

  test.each<[string, RecordValues, string]>([
    ['loses nothing', {}, 'create'],
    ['loses no blank values', { scan: '', pin: '', gone: '' }, 'create'],
    ['loses no blank lists', { scan: [] }, 'create'],
  ])('%s', async (_, values, expected) => {
    expect(await judge({ action: 'deleted', id: GONE, values: { ...WHOLE, ...values } })).toEqual([expected]);
  });

  test('is left without its values, and names the fields that its item lacks', async () => {
    expect(await judge({ action: 'deleted', id: GONE })).toEqual([
      'leave: the item does not hold its values',
    ]);
    const values = omit(WHOLE, ['note', 'day']);
    expect(await judge({ action: 'deleted', id: GONE, values })).toEqual([
      'create: the item lacks "Note", "Day"',
    ]);
  });

  test('is not created if it cannot be read whether it exists', async () => {
    const { id } = insert({ code: 'a' });
    env.service.faults.add({
      when: { pattern: /records\/\{recordId\}$/ },
      fault: { type: 'status', status: 403 },
    });
    await expect(plan({ action: 'deleted', id, values: { code: 'a' } })).rejects.toMatchObject({
      status: 403,
    });
    expect(await judge({ action: 'deleted', id, values: { code: 'a' } })).toEqual([
      'leave: a record with this ID exists',
    ]);
  });

  test('stands for one that has all of its values', async () => {
    const person = { title: '', first_name: 'Ada', middle_name: '', last_name: '' };
    const { id } = insert({ code: 'a', person: { ...person, first_name: 'Bo' } });
    const change = { action: 'deleted' as const, values: { ...WHOLE, person } };
    expect(await judge({ ...change, id: GONE })).toEqual(['create']);
    table.update(id, { person });
    expect(await judge({ ...change, id: GONE })).toEqual([`leave: record ${id} has its values`]);
  });

  test('stands for one alone, also if their items have different fields', async () => {
    const { id } = insert({ code: 'a', price: null });
    const judged = await judge(
      { action: 'deleted', id: GONE, values: { code: 'a' } },
      { action: 'deleted', id: '3MPEYTfLaR', values: { code: 'a', note: '', price: null } },
    );
    expect(judged.sort()).toEqual([
      expect.stringMatching(/^create: the item lacks/),
      `leave: record ${id} has its values`,
    ]);
  });
});
