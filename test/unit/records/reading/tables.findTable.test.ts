import { findTable } from '../../../../nodes/records';

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
])('%s is the table %s', (text, id) => expect(findTable(text, tables).id).toBe(id));

test.each(['', 'Customer', 'Customers!', '--'])('%j is no table', (text) =>
  expect(() => findTable(text, tables)).toThrow(`The application has no table "${text}"`),
);

test('an equal name is one of two that differ in case, any other is refused with both', () => {
  expect(findTable('Parts', tables).id).toBe('T4');
  expect(findTable('parts', tables).id).toBe('T5');
  expect(() => findTable('PARTS', tables)).toThrow(
    '"PARTS" is the name of several tables: "Parts" (T4), "parts" (T5)',
  );
});
