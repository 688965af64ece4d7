import { addDefaults, type PayloadEntries, Table } from '../../../../nodes/records';
import { parseField } from '../fields/fieldTools';

const createField = (slug: string, type: string, default_value?: string) =>
  parseField({ slug, fieldId: `f_${slug}`, name: slug, type, default_value });

const table = new Table('t1', [
  createField('status', 'Select', 'lead'),
  createField('amount', 'Number', '5'),
  createField('note', 'Text', ''),
  createField('plain', 'Text'),
  createField('person', 'Name', 'Ada'),
  createField('total', 'Equation', '7'),
]);

const add = (entries: PayloadEntries, of = table) => addDefaults(of, entries, 'UTC');

/** Spec: Record. The service does not apply the defaults of a form. */
test('a field without a value gets its default; others and calculated ones get none', () => {
  expect(
    add([
      ['plain', 'a'],
      ['person[first_name]', 'Bo'],
    ]),
  ).toEqual([
    ['status', 'lead'],
    ['amount', 5],
    ['plain', 'a'],
    ['person[first_name]', 'Bo'],
  ]);
});

test('a given field gets no default, also if its value is empty', () => {
  const given: PayloadEntries = [
    ['status', ''],
    ['amount', null],
    ['person[last_name]', ''],
  ];
  expect(add(given)).toEqual(given);
});

test('no value at all, and a unique field: no default', () => {
  expect(add([])).toEqual([]);
  const code = parseField({ slug: 'code', name: 'code', type: 'Text', default_value: 'x', is_unique: 'yes' });
  const keys = add([['plain', 'a']], new Table('t2', [...table.fields, code])).map(([key]) => key);
  expect(keys).toContain('status');
  expect(keys).not.toContain('code');
});
