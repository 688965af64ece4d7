import { encodeDefaults, Table } from '../../../../nodes/records';
import { InputError } from '../../../../nodes/service';
import { parseField } from '../fields/fieldTools';

const createField = (slug: string, type: string, default_value?: string) =>
  parseField({ slug, fieldId: `f_${slug}`, name: slug, type, default_value });

const table = new Table('t1', [
  createField('status', 'Select', 'lead'),
  createField('amount', 'Number', '5'),
  createField('note', 'Text', ''),
  createField('plain', 'Text'),
  createField('total', 'Equation', '7'),
]);

const encode = (values: Record<string, unknown>, of = table) => encodeDefaults(of, values, 'UTC');

/** Spec: Record. The service does not apply the defaults of a form. */
test('a field without a value gets its default; others and calculated ones get none', () => {
  expect(encode({ plain: 'a' })).toEqual([
    ['status', 'lead'],
    ['amount', 5],
  ]);
});

test('a given field gets no default, also if it is named by its ID or its value is empty', () => {
  expect(encode({ status: 'active' })).toEqual([['amount', 5]]);
  expect(encode({ f_status: '', amount: null })).toEqual([]);
});

test('no value at all, and a unique field: no default', () => {
  expect(encode({})).toEqual([]);
  expect(encode({ plain: undefined })).toEqual([]);
  const code = parseField({ slug: 'code', name: 'code', type: 'Text', default_value: 'x', is_unique: 'yes' }); // prettier-ignore
  expect(encode({ plain: 'a' }, new Table('t2', [...table.fields, code])).map(([key]) => key)).toEqual([
    'status',
    'amount',
  ]);
});

test('an unknown field is an error that says where it was given', () => {
  expect(() => encode({ nobody: 1 })).toThrow(InputError);
  expect(() => encode({ nobody: 1 })).toThrow('Fields: the table has no field "nobody"');
});
