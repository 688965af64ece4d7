import { AUTO_MAP, getOutput, toColumns } from '../support/testEnvironment';
import { useTestEnvironment } from '../support/useTestEnvironment';

/** Errors in the words of the form: names of fields and tables, and the remedies of this package. */

const env = useTestEnvironment();

const run = async (operation: string, parameters: object, input?: object[]) => {
  const { error } = await env.runRecordOperation(operation, env.getTable('Customers'), parameters, input);
  return error as { message: string; description: string } | undefined;
};

const getSecond = () => [...env.getTable('Customers').records.values()][1]!;

test.each([
  ['create', {}, /use Create or Update\. .* choose the field under "Dedupe Field"/],
  ['update', { recordId: '={{ $json.id }}' }, /Give another value, or change the record that has it/],
])(
  'a value that another record has is named by the label of its field: %s',
  async (operation, more, remedy) => {
    const { email } = getSecond();
    const { id } = [...env.getTable('Customers').records.values()][2]!;
    const error = await run(operation, { ...more, columns: toColumns({ email: String(email) }) }, [{ id }]);
    expect(error?.message).toBe(`Another record already has the Email "${String(email)}"`);
    expect(error?.description).toMatch(remedy);
    expect(error?.description).toContain('The record was not saved');
  },
);

test('a required field is named by its label', async () => {
  const error = await run('create', { columns: toColumns({ company: 'Mill' }) });
  expect(error?.message).toBe('Email is required');
});

test('several refused values are several sentences', async () => {
  const table = env.service.addTable({
    name: 'Badges',
    fields: [
      { name: 'Badge Number', slug: 'badge', type: 'Text', unique: true },
      { name: 'Holder Name', slug: 'holder', type: 'Text', required: true },
    ],
  });
  table.insert({ badge: 'B1', holder: 'Ada' });
  const { error } = await env.runRecordOperation('create', table, { columns: toColumns({ badge: 'B1' }) });
  expect(error?.message.split('; ').sort()).toEqual([
    'Another record already has the Badge Number "B1"',
    'Holder Name is required',
  ]);
});

test('a table that is gone is named by the name that the form knows', async () => {
  const table = env.service.addTable({ name: 'Short Lived', fields: [{ name: 'A', type: 'Text' }] });
  const dataTableId = { __rl: true, mode: 'list', value: `${table.id}gone`, cachedResultName: 'Short Lived' };
  const { error } = await env.run({ resource: 'record', operation: 'getAll', dataTableId });
  expect(error?.message).toBe('The table "Short Lived" does not exist');
});

test('a record that is gone is not blamed on the rules of a component', async () => {
  const error = await run('get', { recordId: 'nosuch0001' });
  expect(error?.message).toBe('The record "nosuch0001" does not exist');
  expect(error?.description).toMatch(/^It may have been deleted\. A record ID is the "id" that/);
  expect(error?.description).not.toContain('component');
});

test('Map Automatically names the setting for keys that are no columns', async () => {
  const items = [{ email: 'extra@example.com', nickname: 'Bo' }];
  const error = await run('create', { columns: AUTO_MAP }, items);
  expect(error?.message).toBe('Fields: the table has no field "nickname"');
  expect(error?.description).toMatch(/set Unknown Inputs to Ignore/);
  const ignored = await env.runRecordOperation(
    'create',
    env.getTable('Customers'),
    { columns: AUTO_MAP, unknownInputs: 'ignore' },
    items,
  );
  expect(getOutput(ignored)).toMatchObject([{ email: 'extra@example.com' }]);
});
