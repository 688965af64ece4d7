import { simplifyEntry } from '../../../../nodes/n8n/operation/simplify';

test('values that are not entries stay as they are', () => {
  const items = [{ created_at: '2025-01-02 00:00:00' }, null, 'text'];
  expect(items.map((entry) => simplifyEntry(entry))).toEqual(items);
});

test('the values of a repeated name become a list', () => {
  const metas = [
    { name: 'Field', val: 'A' },
    { name: 'Table', val: 'T' },
    { name: 'Field', val: 'B' },
  ];
  expect(simplifyEntry({ metas })).toEqual({ metas: { Field: ['A', 'B'], Table: 'T' } });
});

test('nested values move up one level, and empty and omitted values are left out', () => {
  expect(
    simplifyEntry(
      {
        type: 'Page Created',
        ip: '',
        body: '<p>long</p>',
        user: { name: 'Ada', email: '' },
        metas: [
          { name: 'Name', val: 'Shop' },
          { name: 'Slug', val: 0 },
        ],
        none: null,
        empty: [],
        tags: ['a'],
        count: 0,
        open: false,
      },
      new Set(['body']),
    ),
  ).toEqual({
    type: 'Page Created',
    user_name: 'Ada',
    metas: { Name: 'Shop', Slug: 0 },
    tags: ['a'],
    count: 0,
    open: false,
  });
});

test.each<[string, unknown, unknown]>([
  [
    'empty values of a nested object',
    { user: { name: null, email: '', id: 0, is_new: false } },
    { user_id: 0, user_is_new: false },
  ],
  [
    'a list with a value that is no pair',
    { metas: [{ name: 'A', val: 1 }, { name: 'B' }] },
    { metas: [{ name: 'A', val: 1 }, { name: 'B' }] },
  ],
  ['a pair without a name', { metas: [{ val: 1 }] }, { metas: [{ val: 1 }] }],
  ['a list with null', { metas: [null] }, { metas: [null] }],
  ['a pair with an empty value', { metas: [{ name: 'A', val: '' }] }, { metas: { A: '' } }],
  ['an omitted object', { skip: { name: 'Ada' }, name: 'x' }, { name: 'x' }],
  ['an omitted list', { skip: [{ name: 'A', val: 1 }] }, {}],
  ['an empty object', { user: {} }, {}],
  [
    'an export',
    { id: 'q1', dataTable: { id: 't1', name: 'Contacts' }, complete: 100 },
    { id: 'q1', dataTable_id: 't1', dataTable_name: 'Contacts', complete: 100 },
  ],
])('%s', (_what, entry, expected) => {
  expect(simplifyEntry(entry, new Set(['skip']))).toEqual(expected);
});
