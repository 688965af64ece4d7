import { scaleSize } from '../../randomness';
import type { FieldDefinition } from '../../service/data/field';
import { chosenProfile } from '../../service/profiles';
import type { Application } from '../../service/state/application';
import { runOperation } from '../support/runOperation';
import { AUTO_MAP, TestEnvironment, getOutput, toColumns, toLocator } from '../support/testEnvironment';

/**
 * What becomes of the values of an item that cannot be written, with Map Automatically. The service adds keys to its records
 * (evidence 3), and shows files as objects or addresses (evidence 10).
 */

const FIELDS: FieldDefinition[] = [
  { name: 'Key', type: 'Text', unique: true },
  { name: 'Quantity', type: 'Number' },
  { name: 'Scan', type: 'File' },
  { name: 'Buyer', type: 'Connection', to: 'Customers' },
  {
    name: 'Double',
    type: 'Formula',
    formula: { text: '2 * {quantity}', evaluate: ({ quantity }) => 2 * Number(quantity) },
  },
];

const CREATED = '2031-01-01 10:00:00';
/** File values as the service shows them. */
const FILES = [
  '/files/a.pdf',
  { type: 'pdf', key: '/A/1-a.pdf', url: 'https://files.example/A/1-a.pdf', ext: 'pdf' },
];

describe.each([['documented'], ['met'], ['idOnly']] as const)('system keys: %s', (systemKeys) => {
  const env = new TestEnvironment();
  beforeAll(() => env.start({ systemKeys }));
  afterAll(() => env.stop());
  afterEach(() => expect(env.takeViolations()).toEqual([]));

  const createTable = (fields = FIELDS) => {
    const table = env.service.addTable({ name: 'Orders', fields });
    const [buyer] = env.getTable('Customers').records.keys();
    FILES.forEach((scan, index) =>
      table.insert({ key: `k${index}`, quantity: index, scan, buyer: [buyer], double: 2 * index }),
    );
    return table;
  };
  const readHints = (run: Awaited<ReturnType<typeof env.run>>) =>
    run.getHints('Node').map(({ message }) => message);

  // Each form for a service as documented, one for the others: roundTrip.property has the other forms as met.
  const FORMS = [{}, { simplify: 'off' }, { simplify: 'names' }];
  test.each<{ simplify?: string }>(FORMS.slice(0, scaleSize(systemKeys === 'documented' ? 3 : 1, 3)))(
    'what Get Many returned, with %j, is written back without a word',
    async (options) => {
      const table = createTable();
      const before = structuredClone([...table.records.values()]);
      const read = getOutput(await env.runRecordOperation('getAll', table, { returnAll: true, ...options }));
      const columns = { ...AUTO_MAP, matchingColumns: ['key'] };
      const since = env.service.requests.length;
      for (const operation of ['update', 'upsert', 'sync']) {
        const parameters = { ...(operation === 'update' && { recordId: '={{ $json.id }}' }), columns };
        const run = await env.runRecordOperation(operation, table, parameters, read);
        expect(
          getOutput(run).every(({ _action, unchanged }) => _action === 'unchanged' || unchanged === 2),
        ).toBe(true);
        expect([operation, readHints(run)]).toEqual([operation, []]);
      }
      expect(env.service.requests.slice(since).filter(({ intent }) => intent && intent !== 'list')).toEqual(
        [],
      );
      expect([...table.records.values()]).toEqual(before);

      for (const { id } of before) table.delete(id);
      const run = await env.runRecordOperation('create', table, { columns: AUTO_MAP }, read);
      expect(getOutput(run)).toHaveLength(FILES.length);
      const copies = [...table.records.values()];
      const expected = before.map(({ key, quantity, buyer }) => ({ key, quantity, buyer, scan: '' }));
      expect(copies).toEqual(expected.map((values) => expect.objectContaining(values) as object));
      expect(readHints(run)).toEqual([
        expect.stringContaining(
          '"Scan" was not written: Map Automatically sends no file that has an address',
        ),
        '"Double" was not written: the service maintains its values.',
        // A service as it is met answers a create with the ID alone. The texts of the items were looked up.
        ...(chosenProfile === 'met' && options.simplify === 'off'
          ? [
              '"Buyer" contains only IDs where the texts of connected records are not known. Get Many returns these texts.',
            ]
          : []),
      ]);
    },
  );

  test('a value that differs from the record, and cannot be written, is a hint', async () => {
    const table = createTable();
    const [first] = table.records.values();
    const edits = { double: 99, scan: 'https://files.example/other.pdf', created_at: CREATED };
    const inputs = [{ id: first!.id, key: 'k0', quantity: 0, ...edits }];
    const expected = [
      '"Double" was not written: the service maintains its values.',
      expect.stringContaining('"Scan" was not written'),
      'The key "created_at" of the input was not written: no field of the table has this name.',
    ];
    const columns = { ...AUTO_MAP, matchingColumns: ['key'] };
    for (const operation of ['update', 'upsert', 'sync']) {
      const parameters = { ...(operation === 'update' && { recordId: first!.id }), columns };
      const run = await env.runRecordOperation(operation, table, parameters, inputs);
      getOutput(run);
      // A record of which the service does not show the date of creation cannot be compared with the item.
      const isDateShown = systemKeys === 'documented' || (systemKeys === 'met' && operation !== 'update');
      expect(readHints(run)).toEqual(expected.slice(0, isDateShown ? 3 : 2));
    }
    // One item gives its values to many records, and describes none of them.
    const condition = { field: 'key|text', operator: 'is', value: 'k0' };
    const filter = { filterMode: 'manual', conditions: { items: [condition] } };
    const run = await env.runRecordOperation('batchUpdate', table, { columns, ...filter }, [
      { quantity: 5, ...edits },
    ]);
    getOutput(run);
    expect(readHints(run)).toEqual(expected);
  });

  test('so it is where a component saves the record', async () => {
    const table = createTable();
    const { app } = env.service as unknown as { app: Application };
    const [page] = app.site.pages;
    page!.components.push({
      id: 'cHints',
      name: 'H',
      type: 'form',
      table,
      settings: { show_search: false, records_per_page: 25 },
      visibleTo: 'everyone',
    });
    const [first] = table.records.values();
    for (const recordId of [first!.id, '']) {
      const parameters = {
        resource: 'component',
        operation: 'save',
        pageId: toLocator(page!.id),
        componentId: toLocator('cHints'),
        recordId,
        columns: AUTO_MAP,
      };
      const json = {
        key: `new ${recordId}`,
        quantity: 0,
        double: 99,
        scan: 'https://files.example/other.pdf',
      };
      const run = await runOperation(env, 'RecordDatabasePages', parameters, [{ json }]);
      getOutput(run);
      expect(readHints(run)).toEqual([
        '"Double" was not written: the service maintains its values.',
        expect.stringContaining('"Scan" was not written'),
      ]);
    }
    page!.components.pop();
  });

  test('an update that changes what a formula is calculated from needs no hint', async () => {
    const table = createTable();
    const [first] = table.records.values();
    const inputs = [{ id: first!.id, quantity: 7, double: 0 }];
    const run = await env.runRecordOperation(
      'update',
      table,
      { recordId: first!.id, columns: AUTO_MAP },
      inputs,
    );
    expect(getOutput(run)).toHaveLength(1);
    expect([first!.quantity, table.records.get(first!.id)!.quantity]).toEqual([0, 7]);
    expect(readHints(run)).toEqual([]);
  });

  test('a column that has the name of such a key is written, and the key of a record is not', async () => {
    const table = env.service.addTable({
      name: 'Imported',
      fields: [
        { name: 'ID', type: 'Text', slug: 'code' },
        { name: 'Created At', type: 'Text', slug: 'made' },
        { name: 'Auto Increment', type: 'Number', slug: 'row' },
      ],
    });
    const foreign = { id: 4711, created_at: CREATED, auto_increment: 9 };
    const run = await env.runRecordOperation('create', table, { columns: AUTO_MAP }, [foreign]);
    expect(getOutput(run)).toHaveLength(1);
    const [record] = table.records.values();
    expect(record).toMatchObject({ code: '4711', made: CREATED, row: 9 });
    expect(readHints(run)).toEqual([]);

    const read = getOutput(await env.runRecordOperation('getAll', table, { returnAll: true }));
    const parameters = { recordId: '={{ $json.id }}', columns: AUTO_MAP };
    const [unchanged] = getOutput(await env.runRecordOperation('update', table, parameters, read));
    expect(unchanged).toMatchObject({ _action: 'unchanged' });
    const copied = getOutput(await env.runRecordOperation('create', table, { columns: AUTO_MAP }, read));
    expect(table.records.get(String(copied[0]!.id))).toMatchObject({ code: '4711', made: CREATED, row: 9 });
  });

  test('a number that may have been rounded is not written back', async () => {
    const table = env.service.addTable({
      name: 'Serials',
      fields: [
        { name: 'Serial', type: 'Number' },
        { name: 'Note', type: 'Text' },
      ],
    });
    // The service may hold 12345678901234567890: n8n parses both alike.
    const { id } = table.insert({ serial: 12345678901234567000, note: 'a' });
    const read = getOutput(await env.runRecordOperation('getAll', table, { returnAll: true }));
    const parameters = { recordId: id, columns: AUTO_MAP };
    const since = env.service.requests.length;
    const run = await env.runRecordOperation('update', table, parameters, [{ ...read[0], note: 'b' }]);
    expect(getOutput(run)).toMatchObject([{ _action: 'updated' }]);
    const writes = env.service.requests.slice(since).filter(({ method }) => method === 'POST');
    expect(writes.map(({ body }) => body)).toEqual([{ note: 'b' }]);
    const given = { ...parameters, columns: toColumns({ serial: '12345678901234567890' }) };
    expect((await env.runRecordOperation('update', table, given)).error?.message).toContain(
      '"Serial" cannot take',
    );
  });

  test('a key of another system that is no column is a hint', async () => {
    const table = createTable();
    const inputs = [{ id: 4711, updated_at: CREATED, key: 'new', _action: 'x' }];
    const run = await env.runRecordOperation('create', table, { columns: AUTO_MAP }, inputs);
    expect(getOutput(run)).toHaveLength(1);
    expect(readHints(run)).toEqual([
      'The key "id" of the input was not written: no field of the table has this name.',
      'The key "updated_at" of the input was not written: no field of the table has this name.',
    ]);
  });
});
