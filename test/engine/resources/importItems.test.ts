import { skipWaits } from '../../environment/skipWaits';
import type { Table } from '../../service';
import { runOperation } from '../support/runOperation';
import { getOutput, toLocator } from '../support/testEnvironment';
import { useTestEnvironment } from '../support/useTestEnvironment';

skipWaits();
const env = useTestEnvironment();
beforeEach(() => {
  env.service.options.importRowErrors = 'hidden';
  env.service.options.importRowNumbers = 'data';
  env.service.options.runResponse = 'withId';
});

const TRIGGER = 'POST /api/v1.1/{appId}/imports/{importId}/trigger';
const STATUS = 'GET /api/v1.1/{appId}/imports/status/{queueId}';

/** Adds a table with an import template. The key of its records is unique. */
function addTable(): { table: Table; importId: string } {
  const table = env.service.addTable({
    name: `Imported ${env.service.tables.length}`,
    fields: [
      { name: 'Key', type: 'Text', unique: true, required: true },
      { name: 'Note', type: 'Long Text' },
      { name: 'Amount', type: 'Number' },
    ],
  });
  return { table, importId: env.service.addImport(table) };
}

/** Runs the import and returns the run and the requests, with and without the looks at the status. */
async function importItems(importId: string, input: object[], parameters: object = {}, extra: object = {}) {
  const before = env.service.requests.length;
  const run = await runOperation(
    env,
    'RecordDatabaseImportExport',
    { resource: 'import', operation: 'runItems', importId: toLocator(importId), ...parameters },
    input.map((json) => ({ json })),
    extra,
  );
  const requests = env.listRequests(before);
  const calls = requests.filter((request) => request !== STATUS);
  return { run, calls, uploads: calls.filter((call) => call === TRIGGER).length };
}

const createInput = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ key: `K${index}`, note: `Note ${index}`, amount: index }));

const listKeys = (table: Table) => [...table.records.values()].map(({ key }) => key);
const GO_ON = { onError: 'continueRegularOutput' };

test('the setting Execute Once is refused, and nothing is uploaded', async () => {
  const { table, importId } = addTable();
  const { run, uploads } = await importItems(importId, createInput(3), {}, { executeOnce: true });
  expect(run.error?.message).toMatch(/has the setting "Execute Once"/);
  expect(uploads).toBe(0);
  expect(table.records.size).toBe(0);
});

test('10,000 items need at most 6 requests besides the looks at the status', async () => {
  const { table, importId } = addTable();
  const input = createInput(10_000);
  const { run, calls } = await importItems(importId, input);
  expect(getOutput(run)).toMatchObject([
    { total_rows: 5000, error_rows: 0, _items: 5000, _imported: 5000, _completion: 'finished' },
    { total_rows: 5000, error_rows: 0, _items: 5000, _imported: 5000, _completion: 'finished' },
  ]);
  expect(calls.length).toBeLessThanOrEqual(6);
  expect([...table.records.values()].map(({ key, note, amount }) => ({ key, note, amount }))).toEqual(input);
  expect(run.getItems('Node')[1]!.pairedItem).toHaveLength(5000);
  expect((run.getItems('Node')[1]!.pairedItem as object[])[0]).toEqual({ item: 5000 });
});

test.each([
  ['by default', {}, '2025-03-31 04:00:00', '2025-03-31'],
  ['convert', { dates: 'convert' }, '2025-03-31 04:00:00', '2025-03-31'],
  ['unchanged', { dates: 'unchanged' }, '2025-03-31T08:00:00.000Z', '2025-03-31T00:00:00.000Z'],
])('dates with a time zone: %s', async (_, options, note, key) => {
  const { table, importId } = addTable();
  const input = [{ key: '2025-03-31T00:00:00.000Z', note: '2025-03-31T08:00:00.000Z' }];
  const { run } = await importItems(importId, input, { options });
  expect(run.error).toBeUndefined();
  expect([...table.records.values()]).toMatchObject([{ key, note }]);
});

test('the values of every kind of field arrive as a create would store them', async () => {
  const showcase = env.getTable('Showcase');
  const importId = env.service.addImport(showcase);
  const item = {
    unique_text: 'By import',
    text: 'Quote " comma , line\nend',
    number: 0,
    decision_box: true,
    multi_select: ['a', 'c'],
    calendar: { start: '2025-01-01', end: '2025-01-31' },
    'name[first_name]': 'Ada',
    address: { city: 'Berlin', zip: '10115' },
    date: '2025-03-31T00:00:00.000Z',
    date_time: '2025-03-31T08:00:00.000Z',
  };
  const { run } = await importItems(importId, [item]);
  expect(getOutput(run)).toMatchObject([{ _items: 1, _imported: 1 }]);
  const stored = [...showcase.records.values()].find(({ unique_text: key }) => key === 'By import');
  expect(stored).toMatchObject({
    text: item.text,
    number: 0,
    decision_box: 1,
    multi_select: ['a', 'c'],
    calendar: { start: '2025-01-01', end: '2025-01-31' },
    name: { first_name: 'Ada' },
    address: { city: 'Berlin', zip: '10115' },
    date: '2025-03-31',
    // The workflow's time zone is New York.
    date_time: '2025-03-31 04:00:00',
  });
});

test('a queue ID that the answer lacks is found in the queue', async () => {
  env.service.options.runResponse = 'withoutId';
  const { table, importId } = addTable();
  const { run } = await importItems(importId, createInput(3));
  expect(getOutput(run)).toMatchObject([{ _imported: 3 }]);
  expect(table.records.size).toBe(3);
});

describe('refused rows', () => {
  const input = [{ key: 'A' }, { key: 'B' }, { key: 'A' }, { key: 'C' }];

  test('an error with the counts when the service does not show which', async () => {
    const { table, importId } = addTable();
    const { run } = await importItems(importId, input);
    expect(run.error?.message).toBe(
      'The service refused 1 of the 4 rows of an upload, and which items they are is not certain',
    );
    expect((run.error as { description?: string }).description).toMatch(/^The other 3 rows were imported/);
    expect(listKeys(table)).toEqual(['A', 'B', 'C']);
  });

  test('the counts instead of an error', async () => {
    const { importId } = addTable();
    const { run } = await importItems(importId, input, { ifRowsFail: 'return' });
    expect(getOutput(run)).toMatchObject([{ error_rows: 1, _items: 4, _imported: 3 }]);
  });

  // The refused item is the third, whatever the service numbers from.
  describe.each([
    ['zeroBased', 2],
    ['data', 3],
    ['withHeading', 4],
  ] as const)('numbered as %s', (numbers, row) => {
    beforeEach(() => (env.service.options.importRowNumbers = numbers));

    test('the list is quoted, and no item counts as imported, if several numberings fit', async () => {
      env.service.options.importRowErrors = 'shown';
      const { table, importId } = addTable();
      const { run } = await importItems(importId, input, {}, GO_ON);
      const items = run.getJson('Node');
      expect(items.map(({ error }) => error)).toEqual(
        Array(4).fill(
          'The service refused 1 of the 4 rows of an upload, and which items they are is not certain',
        ),
      );
      expect(items[0]!.message).toMatch(
        new RegExp(
          `^The service lists row ${row}: key: This field is unique\\. .*The other 3 rows were imported`,
        ),
      );
      expect(listKeys(table)).toEqual(['A', 'B', 'C']);
    });

    test('an error item for the row if its values tell the numbering', async () => {
      env.service.options.importRowErrors = 'withValues';
      const { table, importId } = addTable();
      table.insert({ key: 'C' });
      const rows = ['A', 'B', 'C', 'D'].map((key) => ({ key }));
      const { run } = await importItems(importId, rows, {}, GO_ON);
      const [imported, refused] = run.getItems('Node');
      expect(imported).toMatchObject({
        json: { _imported: 3 },
        pairedItem: [0, 1, 3].map((item) => ({ item })),
      });
      expect(refused).toMatchObject({
        json: { error: `The service refused row ${row} of the upload: key: This field is unique` },
        pairedItem: { item: 2 },
      });
    });

    test('an error item for each row if only this numbering has the rows', async () => {
      env.service.options.importRowErrors = 'shown';
      const { table, importId } = addTable();
      for (const key of ['A', 'D']) table.insert({ key });
      const rows = ['A', 'B', 'C', 'D'].map((key) => ({ key }));
      const { run } = await importItems(importId, rows, {}, GO_ON);
      expect(run.getItems('Node').map(({ pairedItem }) => pairedItem)).toEqual([
        { item: 0 },
        [{ item: 1 }, { item: 2 }],
        { item: 3 },
      ]);
    });
  });

  test('are not uploaded again by a further try', async () => {
    const { importId } = addTable();
    const retry = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
    const { run, uploads } = await importItems(
      importId,
      [{ key: 'A' }, { key: 'B' }, { key: 'A' }],
      {},
      retry,
    );
    expect(run.error?.message).toMatch(/^The service refused/);
    expect(uploads).toBe(1);
  });

  test('stop the run: later uploads are not sent', async () => {
    const { table, importId } = addTable();
    const { run, uploads } = await importItems(
      importId,
      [{ key: 'A' }, { key: 'B' }, { key: 'C' }, { key: 'A' }, { key: 'D' }, { key: 'E' }, { key: 'F' }],
      { options: { rowsPerUpload: 2 } },
    );
    expect(uploads).toBe(2);
    expect((run.error as { description?: string }).description).toMatch(
      /2 items were uploaded before these, and 3 after them were not uploaded\.$/,
    );
    expect(listKeys(table)).toEqual(['A', 'B', 'C']);
  });
});

describe('an upload with an unclear outcome', () => {
  test('is not repeated, and nothing follows it', async () => {
    const { table, importId } = addTable();
    env.service.faults.add({ when: { pattern: TRIGGER }, fault: { type: 'reset', when: 'after' } });
    const { run, uploads } = await importItems(importId, createInput(4), { options: { rowsPerUpload: 2 } });
    expect(run.error?.message).toMatch(/^Outcome unknown/);
    expect((run.error as { description?: string }).description).toMatch(
      /one new import since just before the start, .* Its queue ID is \w+\. 0 items were uploaded/,
    );
    expect(uploads).toBe(1);
    expect(listKeys(table).every((key) => key === 'K0' || key === 'K1')).toBe(true);
  });

  test('fails all its items, and only these, with Continue On Fail', async () => {
    const { importId } = addTable();
    env.service.faults.add({ when: { pattern: TRIGGER }, fault: { type: 'reset', when: 'after' } });
    const { run } = await importItems(importId, createInput(4), { options: { rowsPerUpload: 2 } }, GO_ON);
    const items = run.getJson('Node');
    expect(items).toHaveLength(3);
    expect(items.slice(0, 2).map(({ error }) => String(error))).toEqual(
      Array(2).fill(expect.stringMatching(/^Outcome unknown/)),
    );
    expect(items[2]).toMatchObject({ _imported: 2 });
  });

  test.each([
    [{ total_rows: 1, processed_rows: 1, error_rows: 0 }, 'The service counted 1 rows in an upload of 2'],
    [{ total_rows: 3, processed_rows: 3, error_rows: 0 }, 'The service counted 3 rows in an upload of 2'],
    [
      { total_rows: 2, processed_rows: 1, error_rows: 0 },
      'The import ended after 1 of 2 rows (status "Complete")',
    ],
  ])('counts that do not cover the items are an error: %j', async (counts, message) => {
    const { importId } = addTable();
    env.service.faults.add({
      when: { pattern: STATUS },
      times: Infinity,
      fault: {
        type: 'status',
        status: 200,
        body: { type: 'success', items: [{ id: 'x', status: 'Complete', ...counts }] },
      },
    });
    expect((await importItems(importId, createInput(2))).run.error?.message).toBe(message);
  });
});

test('server errors while it waits do not matter', async () => {
  const { table, importId } = addTable();
  env.service.faults.add({ when: { pattern: STATUS }, times: 2, fault: { type: 'status', status: 500 } });
  const { run } = await importItems(importId, createInput(5));
  expect(getOutput(run)).toMatchObject([{ _imported: 5 }]);
  expect(table.records.size).toBe(5);
});

describe('items that are not rows', () => {
  const input = [{ key: 'A' }, { key: 'B', note: [{ text: 'no cell' }] }, { key: 'C' }];
  const message = '"note": a CSV cell cannot hold {"text":"no cell"}';

  test('nothing is uploaded', async () => {
    const { importId } = addTable();
    const { run, calls } = await importItems(importId, input);
    expect(run.error?.message).toBe(message);
    expect(calls).toEqual([]);
  });

  test('with Continue On Fail, the other items are imported', async () => {
    const { table, importId } = addTable();
    const { run } = await importItems(importId, input, {}, GO_ON);
    expect(run.getJson('Node')).toMatchObject([{ _imported: 2 }, { error: message }]);
    expect(listKeys(table)).toEqual(['A', 'C']);
  });
});

describe('columns', () => {
  test('only the picked ones are uploaded, in their order', async () => {
    const { table, importId } = addTable();
    await importItems(importId, createInput(2), { columns: 'amount, key' });
    expect([...table.records.values()]).toMatchObject([
      { key: 'K0', amount: 0, note: '' },
      { key: 'K1', amount: 1, note: '' },
    ]);
  });

  test('one that no item has is refused before anything is sent', async () => {
    const { importId } = addTable();
    const { run, calls } = await importItems(importId, createInput(2), { columns: 'key, nots' });
    expect(run.error?.message).toBe('Columns: no item has "nots"');
    expect(calls).toEqual([]);
  });
});
