import { normalizeFilter } from '../../../../../../nodes/shared/model/filter/shapes/normalizeFilter';

/** Names of keys in the filters of other systems. `parseFilterJson.test.ts` tests whole filters. */

const open = { field_id: 'status', operator: 'is', val: 'Open' };
const fresh = { field_id: 'status', operator: 'is', val: 'New' };
const all = (...items: unknown[]) => ({ condition: 'AND', items, child: [] });

test.each([
  ...['field_id', 'field', 'fieldId', 'fieldName', 'slug', 'column', 'columnName', 'property', 'attribute'],
  ...['key', 'keyName', 'FIELD', 'column_name', 'Field Name'],
])('the field of an item is called %s', (key) => {
  expect(normalizeFilter({ [key]: 'status', operator: 'is', val: 'Open' })).toEqual(all(open));
});

test.each(['operator', 'op', 'condition', 'comparison', 'operation', 'predicate'])(
  'the operator of an item is called %s',
  (key) => expect(normalizeFilter({ field_id: 'status', [key]: 'is', val: 'Open' })).toEqual(all(open)),
);

test.each(['val', 'value', 'values', 'keyValue', 'key_value'])('the value of an item is called %s', (key) => {
  expect(normalizeFilter({ field_id: 'status', operator: 'is', [key]: 'Open' })).toEqual(all(open));
});

test('an item without an operator compares by "is", with a list by "is any of"', () => {
  expect(normalizeFilter({ field: 'status', value: 'Open' })).toEqual(all(open));
  expect(normalizeFilter({ field: 'status', values: ['Open', 'New'] })).toEqual(
    all({ field_id: 'status', operator: 'is any of', val: ['Open', 'New'] }),
  );
});

test.each(['key', 'field', 'slug', 'column'])('a field may have the slug "%s"', (slug) => {
  expect(normalizeFilter({ [slug]: 'K-1' })).toEqual(all({ field_id: slug, operator: 'is', val: 'K-1' }));
});

test.each([
  ...['condition', 'match', 'logic', 'combinator', 'conjunction', 'operator', 'op', 'logicalOperator'],
  ...['mode', 'logical_operator'],
])('the word of a group is called %s', (key) => {
  expect(normalizeFilter({ [key]: 'or', items: [open, fresh] })).toEqual({
    ...all(open, fresh),
    condition: 'OR',
  });
});

test.each(['items', 'conditions', 'filters', 'rules', 'criteria', 'Rules'])(
  'the items of a group are called %s',
  (key) => expect(normalizeFilter({ [key]: [open, { status: 'New' }] })).toEqual(all(open, fresh)),
);

test.each(['child', 'children', 'groups', 'Groups'])('the groups of a group are called %s', (key) => {
  const groups = [{ match: 'any', rules: [open] }];
  expect(normalizeFilter({ [key]: groups })).toEqual({
    ...all(),
    child: [{ ...all(open), condition: 'OR' }],
  });
});

test('items among the groups and groups among the items change places', () => {
  const group = { or: [open, fresh] };
  const read = { ...all(open), child: [{ ...all(open, fresh), condition: 'OR' }] };
  expect(normalizeFilter({ items: [group, open] })).toEqual(read);
  expect(normalizeFilter({ child: [open, group] })).toEqual(read);
});

test.each(['filter', 'filters', 'where', 'query', 'Where'])('the key %s may contain the filter', (key) => {
  expect(normalizeFilter({ [key]: { status: 'Open' } })).toEqual(all(open));
  expect(normalizeFilter({ [key]: { filter: "status is 'Open'" } })).toEqual(
    all({ field_id: 'status', operator: 'is', val: 'Open' }),
  );
});

test('a key beside such a key is not dropped', () => {
  expect(normalizeFilter({ where: { status: 'Open' }, limit: 5 })).toEqual(
    all(
      { field_id: 'where', operator: 'is', val: { status: 'Open' } },
      { field_id: 'limit', operator: 'is', val: 5 },
    ),
  );
});

test.each<[unknown[], object]>([
  [['status', 'is', 'Open'], all(open)],
  [['status', '$eq', null], all({ field_id: 'status', operator: '$eq', val: null })],
  [['status', 'like', 'Op%'], all({ field_id: 'status', operator: 'like', val: 'Op%' })],
  [['status', 'is blank'], all({ field_id: 'status', operator: 'is blank', val: undefined })],
  [[['status', 'is', 'Open'], ['status', 'is', 'New']], all(open, fresh)], // prettier-ignore
])('%j has a triple for each condition', (input, group) => {
  expect(normalizeFilter(input)).toEqual(group);
});

test.each<[unknown[]]>([
  [['status']],
  [['status', 'near', 'Leeds']],
  [['status', 5, 'Open']],
  [[5, 'is', 'Open']],
  [['status', 'is', 'Open', 'New']],
])('%j is no triple: its entries stay for the error message', (input) => {
  expect(normalizeFilter(input)).toEqual(all(...input));
});

test('a list that begins with OR is joined by OR, also if an operator follows', () => {
  expect(normalizeFilter(['or', open, fresh])).toEqual({ ...all(open, fresh), condition: 'OR' });
  expect(normalizeFilter(['or', '=', 'Open'])).toEqual({ ...all('=', 'Open'), condition: 'OR' });
});

test.each<[object, object]>([
  [{ or: [{ status: 'Open' }, { status: 'New' }] }, { ...all(open, fresh), condition: 'OR' }],
  [{ and: { status: 'Open' } }, all(open)],
  [
    { status: 'Open', $or: [fresh] },
    { ...all(open), child: [{ ...all(fresh), condition: 'OR' }] },
  ],
  [{ any: 'Open' }, all({ field_id: 'any', operator: 'is', val: 'Open' })],
])('%j is a map', (input, group) => {
  expect(normalizeFilter(input)).toEqual(group);
});

test.each([5, true, null, undefined, '', 'everything', '5', {}])('%j stays as it is', (input) => {
  expect(normalizeFilter(input)).toEqual(input === '5' ? 5 : input);
});

test.each<[object, object]>([
  [
    { condition: 'XOR', items: [open] },
    { ...all(open), condition: 'XOR' },
  ],
  [{ items: { a: 1 } }, { condition: 'AND', items: { a: 1 }, child: [] }],
  [
    { items: [open], child: 'none', limit: 5 },
    { condition: 'AND', items: [open], child: 'none', limit: 5 },
  ],
  [{ field_id: 'status' }, all({ field_id: 'status' })],
])('%j keeps its mistakes for the error message', (input, group) => {
  expect(normalizeFilter(input)).toEqual(group);
});
