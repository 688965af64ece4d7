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

test('many items are one upload', async () => {
  const { table, importId } = addTable();
  const input = createInput(scaleSize(1_500, 10_000));
  const { run, calls } = await importItems(importId, input);
  const counts = { total_rows: input.length, error_rows: 0, _imported: input.length };
  expect(getOutput(run)).toMatchObject([{ ...counts, _completion: 'finished' }]);
  expect(calls.length).toBeLessThanOrEqual(4);
  expect([...table.records.values()].map(({ key, note, amount }) => ({ key, note, amount }))).toEqual(input);
  expect(run.getItems('Node')[0]!.pairedItem).toHaveLength(input.length);
});

test('an upload that the service does not take because of its size says what to do', async () => {
  const { importId } = addTable();
  env.service.faults.add({ when: { pattern: TRIGGER }, fault: { type: 'status', status: 413 } });
  const { run } = await importItems(importId, createInput(3));
  expect((run.error as { description?: string }).description).toMatch(
    /^Nothing was imported\. Give the node fewer items, for example in a loop\./,
  );
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
      expect(run.getItems('Node')).toMatchObject([{ json: { _imported: 48, error_rows: 0 } }]);
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

  test('without Continue On Fail, nothing is uploaded', async () => {
    const { table, importId } = addPeople();
    const { run, uploads } = await importItems(importId, createPeople(50, wrong));
    expect(run.error).toMatchObject({
      message: 'Item 8 of 50: "Status" cannot take "Leed"',
      description: expect.stringMatching(
        /^Nothing was uploaded\. .*Its choices are: Lead, Active\..* 2 of 50 items cannot be imported: 8, 31\./,
      ) as string,
    });
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
    expect(run.error?.message).toBe(`Item 2 of 2: ${message}`);
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

  test('an entry of a list that contains the list separator is an error', async () => {
    const { importId } = addPeople();
    const items = createPeople(1, { 0: { Tags: ['x', 'y'] } });
    await importItems(importId, items, { options: { listSeparator: '|' } });
    expect(readUpload()).toContain('vx|vy');
    const { run } = await importItems(importId, items, { options: { listSeparator: 'v' } });
    expect(run.error?.message).toContain('the entry "vx" contains the list separator "v"');
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
  expect(run.getJson('Node')).toMatchObject([{ _imported: 48, error_rows: 0 }]);
  expect(run.getJson('Node', 1).map(({ error }) => error)).toEqual(
    Array(2).fill('"Status" cannot take "Leed"'),
  );
  expect(customers.records.size).toBe(before + 48);
  await met.stop();
});

test('a template that does not name its table needs the one of the form', async () => {
  env.service.options.templateTable = 'hidden';
  const { table, importId } = addTable();
  const { run, uploads } = await importItems(importId, [{ key: 'A' }]);
  expect(run.error?.message).toBe(
    'The template does not name its table, by whose fields the values are checked',
  );
  expect(uploads).toBe(0);
  const withTable = await importItems(importId, [{ key: 'A' }], { dataTableId: toLocator(table.id) });
  expect(getOutput(withTable.run)).toMatchObject([{ _imported: 1 }]);
});

test.each([{}, { key: '', note: null }])('refuses the blank item %j', async (item) => {
  const { importId } = addTable();
  const { run, uploads } = await importItems(importId, [{ key: 'A' }, item]);
  expect(run.error?.message).toBe('Item 2 of 2: The item has no value to import');
  expect(uploads).toBe(0);
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
    expect(run.error?.message).toMatch(/^"Customer": .*"New"/);
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
    expect(getOutput(run)).toMatchObject([{ total_rows: 6, _imported: 5 }]);
    expect(table.records.size).toBe(5);
  });
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
  expect(getOutput(run)).toMatchObject([{ _imported: 1 }]);
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

  const MESSAGE =
    'The service does not show that it imported all 4 rows: {"status":"Complete","total_rows":4,"processed_rows":4,"error_rows":1}';

  test('are an error with the counts, that says what to compare', async () => {
    const { table, importId } = addTable();
    const { run } = await importItems(importId, input);
    expect(run.error?.message).toBe(MESSAGE);
    expect((run.error as { description?: string }).description).toMatch(
      /^Rows may have been imported: .*the headings of the file \(key\) .*"Headings" and "Choices".* The queue ID is \w+\.$/,
    );
    expect(listKeys(table)).toEqual(['A', 'B', 'C']);
  });

  test('are errors of all items with Continue On Fail', async () => {
    const { importId } = addTable();
    const { run } = await importItems(importId, input, {}, GO_ON);
    expect(run.getJson('Node').map(({ error }) => error)).toEqual(Array(4).fill(MESSAGE));
  });

  test('are not uploaded again by a further try', async () => {
    const { importId } = addTable();
    const retry = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
    const { run, uploads } = await importItems(importId, input, {}, retry);
    expect(run.error?.message).toBe(MESSAGE);
    expect(uploads).toBe(1);
  });

  test.each([
    { status: 'Complete', total_rows: 3, processed_rows: 3, error_rows: 0 },
    { status: 'Complete', total_rows: 4, processed_rows: 3, error_rows: 0 },
    { status: 'Complete', total_rows: 4, processed_rows: 4, error_rows: 4 },
    { status: 'Complete', total_rows: 4 },
    { status: 'Failed', total_rows: 4, processed_rows: 4, error_rows: 0 },
  ])('are not excluded by %j', async (counts) => {
    const { importId } = addTable();
    const answer = (pattern: string, body: object) =>
      env.service.faults.add({ when: { pattern }, fault: { type: 'status', status: 200, body } });
    answer(TRIGGER, { import_queue_id: 'x' });
    answer(STATUS, { type: 'success', items: [{ id: 'x', ...counts }] });
    const { run } = await importItems(importId, input);
    expect(run.error?.message).toMatch(/^The service does not show that it imported all 4 rows/);
  });
});

test('an upload with an unclear outcome is not repeated, and fails all its items', async () => {
  const { importId } = addTable();
  env.service.faults.add({ when: { pattern: TRIGGER }, fault: { type: 'reset', when: 'after' } });
  const { run, uploads } = await importItems(importId, createInput(2), {}, GO_ON);
  expect(run.getJson('Node')).toMatchObject(
    Array(2).fill({
      error: expect.stringMatching(/^Outcome unknown/),
      message: expect.stringContaining('"Get Runs" shows whether the import was started'),
    }),
  );
  expect(uploads).toBe(1);
});

test('server errors while it waits do not matter', async () => {
  const { table, importId } = addTable();
  env.service.faults.add({ when: { pattern: STATUS }, times: 2, fault: { type: 'status', status: 500 } });
  const { run } = await importItems(importId, createInput(5));
  expect(getOutput(run)).toMatchObject([{ _imported: 5 }]);
  expect(table.records.size).toBe(5);
});

test('items that are not rows are left out with Continue On Fail, and else nothing is uploaded', async () => {
  const input = [{ key: 'A' }, { key: 'B', note: [{ text: 'no cell' }] }, { key: 'C' }];
  const message = '"Note" cannot take [{"text":"no cell"}]';
  const { table, importId } = addTable();
  const stopped = await importItems(importId, input);
  expect(stopped.run.error?.message).toBe(`Item 2 of 3: ${message}`);
  expect(stopped.uploads).toBe(0);
  const { run } = await importItems(importId, input, {}, GO_ON);
  expect(run.getJson('Node')).toMatchObject([{ _imported: 2 }, { error: message }]);
  expect(listKeys(table)).toEqual(['A', 'C']);
});
