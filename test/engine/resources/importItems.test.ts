import { omit } from 'lodash';
import { skipWaits } from '../../environment/skipWaits';
import { createSeed, scaleRuns, scaleSize } from '../../randomness';
import type { Table } from '../../service';
import { Random } from '../../service/state/random';
import { createPlainValues } from '../support/randomRecords';
import { runOperation } from '../support/runOperation';
import { AUTO_MAP, getOutput, TestEnvironment, toLocator } from '../support/testEnvironment';
import { useTestEnvironment } from '../support/useTestEnvironment';

skipWaits();
const env = useTestEnvironment();
beforeEach(() => {
  env.service.options.templateTable = 'named';
  env.service.options.importHeading = 'skipped';
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

/** An upload has 5,000 rows. */
const COUNT = scaleSize(5_100, 10_000);
const REST = COUNT - 5_000;

test(`${COUNT} items need at most 6 requests besides the looks at the status`, async () => {
  const { table, importId } = addTable();
  const input = createInput(COUNT);
  const { run, calls } = await importItems(importId, input);
  expect(getOutput(run)).toMatchObject([
    { total_rows: 5000, error_rows: 0, _items: 5000, _imported: 5000, _completion: 'finished' },
    { total_rows: REST, error_rows: 0, _items: REST, _imported: REST, _completion: 'finished' },
  ]);
  expect(calls.length).toBeLessThanOrEqual(6);
  expect([...table.records.values()].map(({ key, note, amount }) => ({ key, note, amount }))).toEqual(input);
  expect(run.getItems('Node')[1]!.pairedItem).toHaveLength(REST);
  expect((run.getItems('Node')[1]!.pairedItem as object[])[0]).toEqual({ item: 5000 });
});

/** The text of the file of the last upload. */
const readUpload = (): string => {
  const { body } = env.service.requests.findLast(({ pattern }) => pattern.endsWith('/trigger'))!;
  return String((body as { file: { bytes: Buffer } }).file.bytes);
};

describe('a list that Create takes', () => {
  const createPeople = (count: number, changes: Record<number, object> = {}) =>
    Array.from({ length: count }, (_, index) => ({
      Company: `Company ${index}`,
      Email: `import${index}-${env.service.tables.length}@example.com`,
      Status: 'Lead',
      'Customer Since': '31 March 2025',
      ...changes[index],
    }));

  /** A table whose choices have values that differ from their labels. */
  function addPeople(): { table: Table; importId: string } {
    const table = env.service.addTable({
      name: `People ${env.service.tables.length}`,
      fields: [
        { name: 'Company', type: 'Text', required: true },
        { name: 'Email', type: 'Email', unique: true },
        {
          name: 'Status',
          type: 'Select',
          options: ['l: Lead', 'a: Active'],
        },
        { name: 'Customer Since', type: 'Date' },
        {
          name: 'Tags',
          type: 'Multi-select',
          options: ['vx: x', 'vy: y'],
        },
      ],
    });
    return { table, importId: env.service.addImport(table) };
  }

  const wrong = { 7: { Status: 'Leed' }, 30: { Status: 'Gone' } };

  test.each(['named', 'hidden'] as const)(
    '50 rows, of which 2 have a wrong choice: 48 are imported, and 2 are on the error output (table %s)',
    async (templateTable) => {
      env.service.options.templateTable = templateTable;
      const { table, importId } = addPeople();
      const given = templateTable === 'hidden' ? { dataTableId: toLocator(table.id) } : {};
      const errorOutput = { onError: 'continueErrorOutput' };
      const { run } = await importItems(importId, createPeople(50, wrong), given, errorOutput);
      expect(run.getItems('Node')).toMatchObject([{ json: { _items: 48, _imported: 48, error_rows: 0 } }]);
      expect(run.getJson('Node', 1)).toMatchObject([
        { Company: 'Company 7', error: '"Status" cannot take "Leed"' },
        { Company: 'Company 30', error: '"Status" cannot take "Gone"' },
      ]);
      expect(table.records.size).toBe(48);
      expect([...table.records.values()][0]).toMatchObject({
        company: 'Company 0',
        status: 'l',
        customer_since: '2025-03-31',
      });
    },
  );

  test('without Continue On Fail, nothing is uploaded, and all wrong items are named', async () => {
    const { table, importId } = addPeople();
    const { run, uploads } = await importItems(importId, createPeople(50, wrong));
    expect(run.error?.message).toBe(
      '2 of 50 items cannot be imported: item 7: "Status" cannot take "Leed"; item 30: "Status" cannot take "Gone"',
    );
    expect((run.error as { description?: string }).description).toMatch(
      /nothing was uploaded\..*On Error to Continue.*For item 7: .*Its choices are: Lead, Active\./,
    );
    expect(uploads).toBe(0);
    expect(table.records.size).toBe(0);
  });

  test.each([
    ['an empty item', {}, 'The item has no value to import'],
    ['blank values', { Company: '', Email: null, Tags: [] }, 'The item has no value to import'],
    ['an unknown key', { Company: 'A', Compny: 'B' }, 'Fields: the table has no field "Compny"'],
    ['an unreadable date', { 'Customer Since': 'soon' }, '"Customer Since" cannot take "soon"'],
    ['an unknown choice in a list', { Tags: ['x', 'z'] }, '"Tags" cannot take "z"'],
    [
      'a name twice',
      { Company: 'A', company: 'B' },
      'Fields: "Company" is given twice, as "Company" and "company"',
    ],
  ])('%s is refused before the upload', async (_, item, message) => {
    const { importId } = addPeople();
    const { run, uploads } = await importItems(importId, [...createPeople(1), item]);
    expect(run.error?.message).toBe(`1 of 2 items cannot be imported: item 1: ${message}`);
    expect(uploads).toBe(0);
  });

  test('Unknown Inputs: Ignore leaves out unknown keys, and refuses an item that has no other', async () => {
    const { table, importId } = addPeople();
    const items = [{ Company: 'A', Compny: 'B' }, { Compny: 'C' }];
    const { run } = await importItems(importId, items, { unknownInputs: 'ignore' }, GO_ON);
    expect(run.getJson('Node')).toMatchObject([
      { _imported: 1 },
      { error: 'Fields: no key of the input is a field of the table' },
    ]);
    expect([...table.records.values()]).toMatchObject([{ company: 'A' }]);
  });

  test('two spellings of a key are one column', async () => {
    const { table, importId } = addPeople();
    await importItems(importId, [{ Company: 'A' }, { company: 'B' }, { COMPANY: 'C' }]);
    expect(readUpload()).toBe('company\r\nA\r\nB\r\nC\r\n');
    expect(table.records.size).toBe(3);
  });

  test.each([
    [{}, 'company,status,tags\r\nA,l,"vx,vy"\r\n'],
    [{ headings: 'slugs', choices: 'values' }, 'company,status,tags\r\nA,l,"vx,vy"\r\n'],
    [{ headings: 'names' }, 'Company,Status,Tags\r\nA,l,"vx,vy"\r\n'],
    [{ choices: 'labels', options: { listSeparator: '|' } }, 'company,status,tags\r\nA,Lead,x|y\r\n'],
  ])('is written as %j says', async (parameters, csv) => {
    const { importId } = addPeople();
    await importItems(importId, [{ Company: 'A', Status: 'lead', Tags: ['x', 'vy'] }], parameters);
    expect(readUpload()).toBe(csv);
  });

  test('names as headings need different names', async () => {
    const table = env.service.addTable({
      name: 'Doubled',
      fields: ['one', 'two'].map((slug) => ({ name: 'Same', slug, type: 'Text' })),
    });
    const importId = env.service.addImport(table);
    const { run, uploads } = await importItems(importId, [{ one: 'A', two: 'B' }], { headings: 'names' });
    expect(run.error?.message).toContain('Headings: several fields are named "Same"');
    expect(uploads).toBe(0);
  });

  test('values that are mapped one by one', async () => {
    const { table, importId } = addPeople();
    const columns = { mappingMode: 'defineBelow', value: { company: '={{ $json.name }}', status: 'Active' } };
    const { run } = await importItems(importId, [{ name: 'A' }, { name: 'B' }], { columns });
    expect(getOutput(run)).toMatchObject([{ _imported: 2 }]);
    expect([...table.records.values()]).toMatchObject([
      { company: 'A', status: 'a' },
      { company: 'B', status: 'a' },
    ]);
  });
});

test('the service as clients met it: 48 of 50 rows are imported, and 2 are on the error output', async () => {
  const met = await TestEnvironment.start({ profile: 'met', slugs: 'numbered' });
  const customers = met.getTable('Customers');
  const importId = met.service.addImport(customers);
  const before = customers.records.size;
  const input = Array.from({ length: 50 }, (_, index) => ({
    json: {
      Company: `Met ${index}`,
      Email: `met${index}@example.com`,
      Status: [7, 30].includes(index) ? 'Leed' : 'Lead',
      'Customer Since': '31 March 2025',
    },
  }));
  const parameters = {
    resource: 'import',
    operation: 'runItems',
    importId: toLocator(importId),
    headings: 'names',
  };
  const run = await runOperation(met, 'RecordDatabaseImportExport', parameters, input, {
    onError: 'continueErrorOutput',
  });
  expect(run.getJson('Node')).toMatchObject([{ _items: 48, _imported: 48, error_rows: 0 }]);
  expect(run.getJson('Node', 1).map(({ error }) => error)).toEqual(
    Array(2).fill('"Status" cannot take "Leed"'),
  );
  expect(customers.records.size).toBe(before + 48);
  await met.stop();
});

describe('a template that does not name its table', () => {
  beforeEach(() => (env.service.options.templateTable = 'hidden'));

  test('takes the keys and values as they are, and dates with an offset in the zone of the workflow', async () => {
    const { table, importId } = addTable();
    const input = [
      { Key: '2025-03-31T00:00:00.000Z', note: '2025-03-31T08:00:00.000Z', ['Nobody Knows']: 1 },
    ];
    await importItems(importId, input);
    expect(readUpload()).toBe('Key,note,Nobody Knows\r\n2025-03-31,2025-03-31 04:00:00,1\r\n');
    expect(table.records.size).toBe(1);
  });

  test.each([{}, { key: '', note: null }])('refuses the blank item %j', async (item) => {
    const { importId } = addTable();
    const { run, uploads } = await importItems(importId, [{ key: 'A' }, item]);
    expect(run.error?.message).toBe(
      '1 of 2 items cannot be imported: item 1: The item has no value to import',
    );
    expect(uploads).toBe(0);
  });

  test.each([{ headings: 'names' }, { choices: 'labels' }])('needs the table for %j', async (parameters) => {
    const { table, importId } = addTable();
    const { run, uploads } = await importItems(importId, [{ key: 'A' }], parameters);
    expect(run.error?.message).toBe(
      'Headings and Choices need the table of the import, which the template does not name',
    );
    expect(uploads).toBe(0);
    const withTable = await importItems(importId, [{ key: 'A' }], {
      ...parameters,
      dataTableId: toLocator(table.id),
    });
    expect(getOutput(withTable.run)).toMatchObject([{ _imported: 1 }]);
  });
});

describe('connected records', () => {
  function addOrders() {
    const customers = env.service.addTable({
      name: `Buyers ${env.service.tables.length}`,
      fields: [{ name: 'Name', type: 'Text' }],
    });
    const orders = env.service.addTable({
      name: `Sales ${env.service.tables.length}`,
      fields: [
        { name: 'Number', type: 'Text' },
        { name: 'Customer', type: 'Connection', to: customers.name, many: false },
      ],
    });
    return { customers, orders, importId: env.service.addImport(orders) };
  }

  test('are found by their names, 50 in a request', async () => {
    const { customers, orders, importId } = addOrders();
    const ids = Array.from({ length: 100 }, (_, index) => customers.insert({ name: `Buyer ${index}` }).id);
    const items = ids.map((_, index) => ({ Number: `N${index}`, Customer: `Buyer ${index}` }));
    const { run, calls } = await importItems(importId, items);
    expect(getOutput(run)).toMatchObject([{ _imported: 100 }]);
    expect([...orders.records.values()].map(({ customer }) => customer).flat()).toEqual(ids);
    expect(calls.length).toBeLessThanOrEqual(10);
  });

  test('that are missing are an error, or created with the option', async () => {
    const { customers, orders, importId } = addOrders();
    const items = [{ Number: 'N1', Customer: 'New' }];
    const { run, uploads } = await importItems(importId, items);
    expect(run.error?.message).toMatch(/^1 of 1 items cannot be imported: item 0: "Customer": .*"New"/);
    expect(uploads).toBe(0);
    const options = { connectedRecords: 'detectOrCreate' };
    const refused = await importItems(importId, [...items, { Nobody: 1 }], { options });
    expect(refused.run.error?.message).toContain('no field "Nobody"');
    expect(customers.records.size).toBe(0);
    expect(getOutput((await importItems(importId, items, { options })).run)).toMatchObject([
      { _imported: 1 },
    ]);
    expect([...customers.records.values()]).toMatchObject([{ name: 'New' }]);
    expect([...orders.records.values()].map(({ customer }) => [customer].flat())).toEqual([
      [...customers.records.keys()],
    ]);
  });
});

test('a file has no place in a CSV file', async () => {
  const table = env.service.addTable({
    name: 'With Files',
    fields: [
      { name: 'Name', type: 'Text' },
      { name: 'Photo', type: 'File' },
    ],
  });
  const importId = env.service.addImport(table);
  const { run, uploads } = await importItems(importId, [{ Name: 'A', Photo: 'data' }], {});
  expect(run.error?.message).toContain('"Photo"');
  expect(uploads).toBe(0);
});

describe('a service that counts the heading as a row', () => {
  beforeEach(() => (env.service.options.importHeading = 'counted'));

  test('has imported all items', async () => {
    const { table, importId } = addTable();
    const { run } = await importItems(importId, createInput(5));
    expect(getOutput(run)).toMatchObject([{ total_rows: 6, _items: 5, _imported: 5 }]);
    expect(table.records.size).toBe(5);
  });

  test('has refused as many as it says', async () => {
    const { importId } = addTable();
    const { run } = await importItems(importId, [{ key: 'A' }, { key: 'A' }, { key: 'B' }], {
      ifRowsFail: 'return',
    });
    expect(getOutput(run)).toMatchObject([{ total_rows: 4, error_rows: 1, _items: 3, _imported: 2 }]);
  });
});

test('an upload of which every row is refused says what to compare', async () => {
  const { table, importId } = addTable();
  table.insert({ key: 'A' });
  const two = await importItems(importId, [{ Key: 'A' }, { Key: 'A' }]);
  expect(two.run.error?.message).toBe('The service refused all 2 rows of an upload');
  const { run } = await importItems(importId, [{ Key: 'A', note: 'x' }]);
  expect(run.error?.message).toBe('The service refused the only row of an upload');
  expect((run.error as { description?: string }).description).toMatch(
    /^No row was imported\. Compare the headings of the file \(key, note\) .*"Headings" and "Choices"/,
  );
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

test('random values are stored as Create stores them', async () => {
  const showcase = env.getTable('Showcase');
  const importId = env.service.addImport(showcase);
  const random = new Random(createSeed());
  const items = Array.from({ length: scaleRuns(100) }, () =>
    createPlainValues((values) => random.pick(values)),
  );
  const withKeys = (way: string) => items.map((item, index) => ({ ...item, unique_text: `${way} ${index}` }));
  getOutput(await env.runRecordOperation('create', showcase, { columns: AUTO_MAP }, withKeys('created')));
  getOutput((await importItems(importId, withKeys('imported'))).run);
  const listStored = (way: string) =>
    [...showcase.records.values()]
      .filter(({ unique_text: key }) => String(key).startsWith(`${way} `))
      .sort((a, b) => String(a.unique_text).localeCompare(String(b.unique_text)))
      .map((record) => omit(record, ['id', 'unique_text', 'created_at', 'updated_at', 'auto_increment']));
  expect(listStored('created')).toHaveLength(items.length);
  expect(listStored('imported')).toEqual(listStored('created'));
});

describe('refused rows', () => {
  const input = [{ key: 'A' }, { key: 'B' }, { key: 'A' }, { key: 'C' }];

  test('an error with the counts when the service does not show which', async () => {
    const { table, importId } = addTable();
    const { run } = await importItems(importId, input);
    expect(run.error?.message).toBe(
      'The service refused 1 of the 4 rows of an upload, and does not show which',
    );
    expect((run.error as { description?: string }).description).toMatch(/^The other 3 rows were imported/);
    expect(listKeys(table)).toEqual(['A', 'B', 'C']);
  });

  test('the counts instead of an error', async () => {
    const { importId } = addTable();
    const { run } = await importItems(importId, input, { ifRowsFail: 'return' });
    expect(getOutput(run)).toMatchObject([{ error_rows: 1, _items: 4, _imported: 3 }]);
  });

  test('are errors of all items of their upload with Continue On Fail', async () => {
    const { table, importId } = addTable();
    const { run } = await importItems(importId, input, {}, GO_ON);
    expect(run.getJson('Node').map(({ error }) => error)).toEqual(
      Array(4).fill('The service refused 1 of the 4 rows of an upload, and does not show which'),
    );
    expect(listKeys(table)).toEqual(['A', 'B', 'C']);
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
      /"Get Runs" shows whether the import was started\. 0 items were uploaded/,
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
    [{ total_rows: 4, processed_rows: 4, error_rows: 0 }, 'The service counted 4 rows in an upload of 2'],
    [
      { total_rows: 2, processed_rows: 1, error_rows: 0 },
      'The import ended after 1 of 2 rows (status "Complete")',
    ],
  ])('counts that do not cover the items are an error: %j', async (counts, message) => {
    const { importId } = addTable();
    env.service.faults.add({
      when: { method: 'POST' },
      fault: { type: 'status', status: 200, body: { import_queue_id: 'x' } },
    });
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

  test.each([
    ['named', '"Note" cannot take [{"text":"no cell"}]'],
    ['hidden', '"note": a CSV cell cannot hold {"text":"no cell"}'],
  ] as const)(
    'are left out with Continue On Fail, and else nothing is uploaded (table %s)',
    async (named, message) => {
      env.service.options.templateTable = named;
      const { table, importId } = addTable();
      const stopped = await importItems(importId, input);
      expect(stopped.run.error?.message).toBe(`1 of 3 items cannot be imported: item 1: ${message}`);
      expect(stopped.uploads).toBe(0);
      const { run } = await importItems(importId, input, {}, GO_ON);
      expect(run.getJson('Node')).toMatchObject([{ _imported: 2 }, { error: message }]);
      expect(listKeys(table)).toEqual(['A', 'C']);
    },
  );
});
