import { findTable, resolveTableId } from '../../../../../nodes/shared/kit/agent/tableNames';
import type { Client } from '../../../../../nodes/shared/transport/client';

const tables = [
  { id: 'T1', name: 'Customers' },
  { id: 'T2', name: 'Sales Orders' },
  { id: 'T3', name: 'T1' },
  { id: 'T4', name: 'Parts' },
  { id: 'T5', name: 'parts' },
];

test.each([
  ['Customers', 'T1'],
  ['customers', 'T1'],
  ['sales_orders', 'T2'],
  ['salesOrders', 'T2'],
  // An ID counts more than a name.
  ['T1', 'T1'],
])('%s is the table %s', (text, id) => expect(findTable(text, tables)?.id).toBe(id));

test.each(['', 'Customer', 'PARTS', '--'])('%j is no table, or no single one', (text) =>
  expect(findTable(text, tables)).toBeUndefined(),
);

test('without loaded tables, an ID is used as it is', () =>
  expect(resolveTableId({} as Client, 'any text')).toBe('any text'));
