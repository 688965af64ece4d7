import { AUTO_MAP, getOutput, toColumns } from '../support/testEnvironment';
import { useTestEnvironment } from '../support/useTestEnvironment';

/** How values of the form and of the input become columns, and the columns that a create and a read return. */

const env = useTestEnvironment();

async function update(value: string | null, options: object = {}) {
  const table = env.getTable('Customers');
  const [record] = [...table.records.values()];
  record!.notes = 'old';
  const run = await env.runRecordOperation('update', table, {
    recordId: record!.id,
    columns: toColumns({ phone: '+1 555 1', notes: value }),
    options,
  });
  return { run, notes: table.records.get(record!.id)!.notes };
}

describe('a column whose expression has no value', () => {
  test('null clears; a column left blank in the form is not sent', async () => {
    expect((await update('={{ null }}')).notes).toBe('');
    expect((await update(null)).notes).toBe('old');
  });

  test('undefined is skipped with a hint, clears the cell or fails, depending on the option', async () => {
    const left = await update('={{ $json.nosuch }}');
    expect(left.notes).toBe('old');
    expect(left.run.getHints('Node').map(({ message }) => message)).toEqual([
      expect.stringMatching(/^"Notes" got no value where its expression found nothing/),
    ]);
    expect((await update('={{ $json.nosuch ?? null }}')).notes).toBe('');
  });
});

test('n8n refuses a typed text that is no date; in automatic mode the error names the column', async () => {
  const table = env.getTable('Customers');
  const before = env.service.requests.length;
  const values = { email: 'soon@example.com', customer_since: 'soon' };
  const typed = await env.runRecordOperation('create', table, { columns: toColumns(values) });
  expect(typed.error?.message).toContain("'customer_since' expects a dateTime but we got 'soon'");
  const mapped = await env.runRecordOperation('create', table, { columns: AUTO_MAP }, [values]);
  expect(mapped.error?.message).toContain('"Customer Since"');
  expect(mapped.error?.message).toContain('"soon"');
  expect(env.listRequests(before).filter((one) => one.startsWith('POST'))).toEqual([]);
});

describe('Map Automatically', () => {
  const create = (parameters: object, more: object) =>
    env.runRecordOperation('create', env.getTable('Products'), { columns: AUTO_MAP, ...parameters }, [
      { name: 'Mapped', ...more },
    ]);

  test('refuses unknown input fields, or ignores them', async () => {
    expect((await create({}, { source: 'x' })).error?.message).toContain('no field "source"');
    expect(getOutput(await create({ unknownInputs: 'ignore' }, { source: 'x' }))).toHaveLength(1);
  });
});

test('Map Automatically without any column of the table creates no empty record', async () => {
  const products = env.getTable('Products');
  const count = products.records.size;
  const parameters = { columns: AUTO_MAP, unknownInputs: 'ignore' };
  const run = await env.runRecordOperation('create', products, parameters, [{ nombre: 'x', 'Preis\n€': 5 }]);
  expect(run.error).toMatchObject({
    message: 'Fields: no key of the input is a field of the table',
    description:
      'Nothing was sent. The keys of the input are: "nombre", "Preis\\n€". Rename them, or map the fields yourself.',
  });
  expect(products.records.size).toBe(count);
});

test('a create response without the record is an error', async () => {
  env.service.faults.add({
    when: { method: 'POST', pattern: 'POST /api/v1/data-tables/{dataTableId}/records' },
    fault: { type: 'status', status: 200, body: { type: 'success', items: [], total_items: 0 } },
  });
  const columns = toColumns({ name: 'Answerless' });
  const run = await env.runRecordOperation('create', env.getTable('Products'), { columns });
  expect(run.error?.message).toMatch(/^Outcome unknown: the service's answer to POST/);
});

test('columns to return always include the ID, even if the service returns only the listed columns', async () => {
  const table = env.getTable('Customers');
  const [id] = [...table.records.keys()];
  const parameters = { recordId: id, options: { columns: ['company'] } };
  env.service.faults.add({
    when: { pattern: 'GET /api/v1/data-tables/{dataTableId}/records/{recordId}' },
    fault: { type: 'status', status: 200, body: { type: 'success', item: { company: 'Alone' } } },
  });
  const before = env.service.requests.length;
  expect(getOutput(await env.runRecordOperation('get', table, parameters))).toEqual([
    { id, company: 'Alone' },
  ]);
  const asked = env.service.requests.slice(before).find(({ pattern }) => pattern.endsWith('{recordId}'));
  expect(asked?.query).toMatchObject({ columns: 'id,company' });
});
