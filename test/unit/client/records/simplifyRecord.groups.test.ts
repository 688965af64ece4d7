import { toField } from '../../../../nodes/client/fields/kinds';
import { Table } from '../../../../nodes/client/fields/table';
import { groupComposites } from '../../../../nodes/client/records/simplifyRecord';
import { fullFieldSchema } from '../../../../nodes/client/responses/schemas';

test('the parts of a composite field become one object', () => {
  const field = toField(fullFieldSchema.parse({ slug: 'person', name: 'Person', type: 'Name' }));
  const table = new Table('t', [field]);
  const record = { id: 'r', 'person[first_name]': 'A', 'person[last_name]': '', created_at: 'c' };
  expect(groupComposites(record, table, ({ slug }) => slug)).toEqual({
    id: 'r',
    person: { first_name: 'A', last_name: '' },
    created_at: 'c',
  });
  const named = { id: 'r', 'Person[first_name]': 'A' };
  expect(groupComposites(named, table, ({ name }) => name)).toEqual({ id: 'r', Person: { first_name: 'A' } });
  const whole = { person: { first_name: 'A' }, 'person[last_name]': 'B' };
  expect(groupComposites(whole, table, ({ slug }) => slug)).toEqual(whole);
});

test('a field without parts keeps its keys', () => {
  const fields = [
    fullFieldSchema.parse({ slug: 'who', name: 'Who', type: 'Connection' }),
    fullFieldSchema.parse({ slug: 'person', name: 'Person', type: 'Name' }),
  ];
  const table = new Table('t', fields.map(toField));
  const record = { id: 'r', who_val: [{ id: 'a', val: 'Ada' }] };
  expect(groupComposites(record, table, ({ slug }) => slug)).toEqual(record);
});
