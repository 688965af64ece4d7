import type { Table } from '../../service';
import { AUTO_MAP, getOutput, toColumns, toLocator } from '../support/testEnvironment';
import { useTestEnvironment } from '../support/useTestEnvironment';

/** Columns whose slugs every object inherits. None may be lost, or be read from the object's prototype. */

const env = useTestEnvironment();
let table: Table;
beforeAll(() => {
  table = env.service.addTable({
    name: 'Inherited',
    fields: [
      { name: 'Name', type: 'Text' },
      { name: 'Constructor', slug: 'constructor', type: 'Text' },
      { name: 'Prototype', slug: 'prototype', type: 'Number' },
      { name: 'To String', slug: 'toString', type: 'Text' },
    ],
  });
});

const VALUES = { name: 'all', constructor: 'c1', prototype: 7, toString: 't1' };

test('automatic mapping writes them, and an item without them writes none', async () => {
  const run = await env.runRecordOperation('create', table, { columns: AUTO_MAP }, [
    VALUES,
    { name: 'bare' },
  ]);
  expect(getOutput(run)).toMatchObject([VALUES, { name: 'bare', constructor: '', toString: '' }]);
  const [all] = [...table.records.values()].filter(({ name }) => name === 'all');
  expect({ ...all }).toMatchObject(VALUES);
});

test('an update changes them and keeps the others', async () => {
  const { id } = table.insert({ ...VALUES, name: 'update' });
  const parameters = { recordId: toLocator(id), columns: AUTO_MAP };
  const changed = { ...VALUES, name: 'update', constructor: 'c2' };
  const updated = getOutput(
    await env.runRecordOperation('update', table, parameters, [{ constructor: 'c2' }]),
  );
  expect(updated.map((item) => ({ ...item }))).toEqual([
    expect.objectContaining({ ...changed, _before: { constructor: 'c1' } }),
  ]);
  const keys = { columns: toColumns({ name: 'update' }) };
  const [found] = getOutput(await env.runRecordOperation('lookUp', table, keys));
  expect({ ...(found!.record as object) }).toEqual(expect.objectContaining(changed));
  expect({ ...table.records.get(id) }).toMatchObject({ ...VALUES, name: 'update', constructor: 'c2' });
});

test.each([
  ['JSON', { filterMode: 'json', filterJson: '[{"field_id":"constructor","operator":"is","val":"only"}]' }],
  [
    'the form',
    {
      filterMode: 'manual',
      conditions: { items: [{ field: 'constructor|text', operator: 'is', value: 'only' }] },
    },
  ],
])('a filter by %s finds the record, and sort rules and columns take them', async (_title, filter) => {
  const { id } = table.insert({ name: 'found', constructor: 'only', toString: 'x' });
  const parameters = {
    ...filter,
    returnAll: true,
    sort: { rules: [{ field: 'prototype', direction: 'asc' }] },
    options: { columns: ['constructor', 'toString'] },
  };
  const found = getOutput(await env.runRecordOperation('getAll', table, parameters));
  expect(found.map((record) => ({ ...record }))).toContainEqual(
    expect.objectContaining({ id, constructor: 'only', toString: 'x' }),
  );
  table.delete(id);
});
