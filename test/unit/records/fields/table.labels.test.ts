import { getKind } from '../../../../nodes/records';
import { toPartField } from '../../../../nodes/records/fields/composite';
import { labelFields } from '../../../../nodes/records/fields/table';
import { createField } from './fieldTools';

test('a field is labeled with its name, and with its slug if another field has the same name', () => {
  const fields = [
    createField('Text', { slug: 'a', name: 'Owner' }),
    createField('Text', { slug: 'b', name: 'Status' }),
    createField('User', { slug: 'c', name: 'Owner' }),
    createField('Text', { slug: 'd', name: 'owner' }),
  ];
  expect(labelFields(fields).map(({ label }) => label)).toEqual([
    'Owner [a]',
    'Status',
    'Owner [c]',
    'owner',
  ]);
});

test.each([
  ['Status', 'Select', 'Status (Select)'],
  ['Email', 'Email', 'Email'],
  ['email', 'Email', 'email'],
  ['Email', 'EMAIL', 'Email'],
  ['Work email', 'Email', 'Work email (Email)'],
])('the field "%s" of the type %s is shown as "%s"', (name, type, shown) => {
  expect(labelFields([createField(type, { name })])[0]?.typedLabel).toBe(shown);
});

test.each([
  ['Name', 1, { kind: 'text', slug: 'f[first_name]', name: 'Label: First' }],
  ['Address', 1, { kind: 'text', slug: 'f[address2]', name: 'Label: Address 2' }],
  ['Calendar', 1, { kind: 'rangeEnd', slug: 'f__end', name: 'Label: End' }],
])('part of %s: its number %i is a field of its own', (type, index, own) => {
  const field = createField(type, { is_unique: 'yes' });
  expect(toPartField(field, getKind(field).parts![index]!)).toEqual({ ...field, ...own });
});
