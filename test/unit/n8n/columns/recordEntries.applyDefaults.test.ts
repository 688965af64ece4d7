import { applyDefaults } from '../../../../nodes/n8n/columns/recordEntries';
import { Table } from '../../../../nodes/records';
import { InputError } from '../../../../nodes/service';
import { parseField } from '../../records/fields/fieldTools';

const createField = (slug: string, type: string, default_value?: string) =>
  parseField({ slug, fieldId: `f_${slug}`, name: slug, type, default_value });

const table = new Table('t1', [
  createField('status', 'Select', 'lead'),
  createField('amount', 'Number', '5'),
  createField('note', 'Text', ''),
  createField('plain', 'Text'),
  createField('total', 'Equation', '7'),
]);

/** Spec: Record. The service does not apply the defaults of a form. */
test('a field without a value gets its default; others and calculated ones get none', () => {
  expect(applyDefaults({ plain: 'a' }, table)).toEqual({ status: 'lead', amount: '5', plain: 'a' });
});

test.each([
  [{ status: 'active' }, { status: 'active', amount: '5' }],
  // A value is not replaced, also if its column is named by an ID or the value is empty.
  [
    { f_status: '', amount: null },
    { f_status: '', amount: null },
  ],
])('the values %j stay', (values, expected) => {
  expect(applyDefaults(values, table)).toEqual(expected);
});

test('no value at all, and a unique field: no default', () => {
  expect(applyDefaults({}, table)).toEqual({});
  expect(applyDefaults({ plain: undefined }, table)).toEqual({ plain: undefined });
  const code = parseField({ slug: 'code', name: 'code', type: 'Text', default_value: 'x', is_unique: 'yes' }); // prettier-ignore
  expect(applyDefaults({ plain: 'a' }, new Table('t2', [...table.fields, code]))).not.toHaveProperty('code');
});

test('an unknown column is an error that says where it was given', () => {
  const apply = () => applyDefaults({ nobody: 1 }, table);
  expect(apply).toThrow(InputError);
  expect(apply).toThrow('Fields: the table has no field "nobody"');
});
