import { simplifyEntry } from '../../../../../nodes/shared/model/responses/simplifyEntry';

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
