import { removeExpressions } from '../../../nodes/n8n/nodeMethods';

test('omits options whose value n8n would evaluate, and puts an apostrophe before such names', () => {
  expect(
    removeExpressions([
      { name: '=1+1', value: 'a' },
      { name: 'b', value: '=b' },
      { name: 'c =', value: 'c', description: '=d' },
    ]),
  ).toEqual([
    { name: "'=1+1", value: 'a' },
    { name: 'c =', value: 'c', description: "'=d" },
  ]);
});

test('removes defaults, keys and choices that n8n would evaluate from mapper columns, and keeps the rest', () => {
  const column = { id: 'a', displayName: 'A', required: false, defaultValue: 0 };
  const fields = [
    column,
    { ...column, id: '=b' },
    { ...column, displayName: '={{ $json }}', defaultValue: '={{ $json }}' },
    {
      ...column,
      options: [
        { name: 'x', value: '=x' },
        { name: 'y', value: 'y' },
      ],
    },
    { ...column, defaultValue: null },
  ];
  expect(removeExpressions({ fields })).toEqual({
    fields: [
      column,
      { id: 'a', displayName: "'={{ $json }}", required: false },
      { ...column, options: [{ name: 'y', value: 'y' }] },
      { ...column, defaultValue: null },
    ],
  });
});
