import {
  selectOperators,
  toFilterOptions,
  toOperatorOptions,
} from '../../../../nodes/n8n/filter/filterLists';
import { createItemConverter, type Field, listOperatorNames, Table } from '../../../../nodes/records';
import { parseField } from '../../records/fields/fieldTools';

const createField = (slug: string, name: string, type = 'Text') => parseField({ slug, name, type });
const fields = [createField('a', 'Equal'), createField('b', 'Equal', 'Name'), createField('c', 'Other')];

test('shows the slugs of fields with the same name', () => {
  expect(toFilterOptions(fields).map(({ name }) => name)).toEqual([
    'Equal [a] (Text)',
    'Equal [b]: Title',
    'Equal [b]: First',
    'Equal [b]: Middle',
    'Equal [b]: Last',
    'Other (Text)',
  ]);
});

test('a Calendar is an option, and its ends are', () => {
  expect(toFilterOptions([createField('t', 'Term', 'Calendar')])).toEqual([
    { name: 'Term (Calendar)', value: 't|calendar' },
    { name: 'Term: Start', value: 't-start|rangeEnd' },
    { name: 'Term: End', value: 't-end|rangeEnd' },
  ]);
});

test('display names as keys keep both fields with the same name', () => {
  const shape = createItemConverter({ simplified: false, displayNames: true }, new Table('t', fields));
  const record = { id: 'r', a: 1, b: { title: 'Dr' }, c: 2, created_at: 'x' };
  expect(shape(record)).toEqual({ id: 'r', 'Equal [a]': 1, 'Equal [b]': { title: 'Dr' }, Other: 2, created_at: 'x' }); // prettier-ignore
});

test('a field whose name is its type is shown without the type', () => {
  const email = createField('mail', 'Email', 'Email');
  expect(toFilterOptions([email])).toEqual([{ name: 'Email', value: 'mail|email' }]);
});

test('operators are in title case, and those of text say what they do with case', () => {
  const toOptions = (kind: Field['kind']) =>
    toOperatorOptions(listOperatorNames({ kind, hasUserLogin: false }));
  expect(toOptions('text')).toEqual(
    expect.arrayContaining([
      { name: 'Is', value: 'is', description: 'Ignores upper and lower case' },
      { name: 'Is Exact', value: 'is exact', description: 'Upper and lower case must be equal' },
    ]),
  );
  expect(toOptions('number')).toEqual(
    expect.arrayContaining([
      { name: 'Is', value: 'is' },
      { name: 'Higher Than or Equal To', value: 'higher than or equal to' },
    ]),
  );
});

const BLANK = ['Is Blank', 'Is Not Blank'];

test.each<[Field['kind'], string[]]>([
  ['text', ['Is', 'Is Not', 'Contains', 'Starts With', ...BLANK]],
  ['number', ['Is', 'Is Not', 'Higher Than', 'Higher Than or Equal To', 'Lower Than', 'Lower Than or Equal To', ...BLANK, 'Between']], // prettier-ignore
  ['date', ['Is', 'Is Not', 'Is Before', 'Is On or Before', 'Is After', 'Is On or After', ...BLANK, 'Between', 'Is Within']], // prettier-ignore
  ['choice', ['Is', 'Is Not', ...BLANK]],
  ['choices', ['Is', 'Is Not', 'Contains', ...BLANK]],
  ['checkboxes', ['Is', 'Is Not', 'Contains', ...BLANK]],
  ['checkbox', ['Is', 'Is Checked', 'Is Unchecked']],
  ['connection', ['Is', 'Is Not', 'Contains', ...BLANK]],
  ['file', ['Is', ...BLANK]],
])('Batch Update offers what it can send for %s', (kind, names) => {
  const operators = toOperatorOptions(selectOperators(kind, 'batchUpdate', true));
  expect(operators.map(({ name }) => name)).toEqual(names);
});

test.each<[Field['kind'], string[]]>([
  ['choice', ['Is', 'Is Not', ...BLANK, 'Is Any Of']],
  ['choices', ['Is', 'Is Not', 'Contains', 'Does Not Contain', ...BLANK, 'Is Any Of']],
  ['connection', ['Is', 'Is Not', 'Contains', ...BLANK, 'Is Any Of']],
])('Get Many offers whole values for %s', (kind, names) => {
  const offered = selectOperators(kind, 'getAll', false);
  expect(toOperatorOptions(offered).map(({ name }) => name)).toEqual(names);
});

test('Get Many offers all operators of the other kinds', () => {
  for (const kind of ['text', 'number', 'date', 'checkbox', 'file', 'name'] as const)
    expect(selectOperators(kind, 'getAll', true)).toEqual(listOperatorNames({ kind }));
});
