import { fullFieldSchema } from '../../../../nodes/service';
import { fullFieldListSchema, tableListSchema } from '../../../../nodes/service/responses/schemas';

/** Spec: Data table. Another list beside the tables must not be taken for them. */
test('tables are listed under data_tables, with their count', () => {
  const tables = [
    { id: 't1', name: 'Contacts' },
    { id: 2, name: 3, more: 'x' },
    { id: 't3', name: null },
    { id: 't4' },
  ];
  expect(tableListSchema.parse({ type: 'success', data_tables: tables, other: [], total_items: 4 })).toEqual({
    items: [
      { id: 't1', name: 'Contacts' },
      { id: '2', name: '3', more: 'x' },
      { id: 't3', name: '' },
      { id: 't4', name: '' },
    ],
    total: 4,
  });
});

test('fields are listed under fields', () => {
  const fields = [{ slug: 'company', name: 'Company' }];
  expect(fullFieldListSchema.parse({ fields, other: [] })).toEqual({ items: fields });
});

test.each([
  ['Expected an ID', ['items', 0, 'id'], { data_tables: [{ name: 'Contacts' }] }, tableListSchema],
  ['Expected a list under "data_tables"', [], { msg: 'none' }, tableListSchema],
  ['Expected a list under "fields"', [], { msg: 'none' }, fullFieldListSchema],
  ['Required', ['items', 0, 'slug'], { fields: [{ name: 'Company' }] }, fullFieldListSchema],
])('%s, at %j of %j', (message, path, body, schema) => {
  expect(schema.safeParse(body).error?.issues).toMatchObject([{ path, message }]);
});

/** Spec: Field (full). */
test('a field keeps what the specification names, and more', () => {
  const field = {
    slug: 'status',
    fieldId: 'field_7',
    name: 'Status',
    type: 'Select',
    description: 'Where it stands',
    default_value: 'Open',
    is_unique: 'No',
    options: [{ label: 'Open', value: 'open', color: 'red' }],
    join: { join_type: '1-to-N', data_table_id: 't2' },
    more: [1],
  };
  expect(fullFieldSchema.parse(field)).toEqual(field);
});

test.each([
  undefined,
  null,
  'Open',
  {},
  ['Open'],
  [null],
  [[]],
  [{ label: 'Open' }],
  [{ label: 'Open', value: null }],
])('options of another shape are none: %j', (options) =>
  expect(fullFieldSchema.parse({ slug: 'status', options }).options).toEqual([]),
);

test('an option without a value is left out, and the others stay', () => {
  const active = { label: 'Active', value: '1' };
  const options = [active, { label: '(none)', value: null }, { label: 'Old' }];
  expect(fullFieldSchema.parse({ slug: 'status', options }).options).toEqual([active]);
});

test('labels and values of options may be numbers', () => {
  expect(fullFieldSchema.parse({ slug: 'status', options: [{ label: 1, value: 2 }] }).options).toEqual([
    { label: '1', value: '2' },
  ]);
});
