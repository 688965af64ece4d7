import { getKind } from '../../../../nodes/records';
import { findKindName } from '../../../../nodes/records/fields/kinds';
import { listColumns, parseField } from './fieldTools';

const createField = (more: object = {}) => parseField({ slug: 'f', name: 'F', type: 'Text', ...more });

/** Spec: "Field-type value formats", and notations that the spec does not define. */
test.each([
  ['Text', 'text'],
  ['Phone', 'text'],
  ['Rich Text', 'text'],
  ['Update', 'unnamed'],
  ['Runtime', 'unnamed'],
  ['Short Name', 'unnamed'],
  ['IP Address', 'unnamed'],
  ['Secondary Email', 'unnamed'],
  ['Active User', 'unnamed'],
  ['My Selection', 'unnamed'],
  ['Big Number', 'unnamed'],
  ['No Connection', 'unnamed'],
  ['Old File', 'unnamed'],
  ['A Decision', 'unnamed'],
  ['A Multi', 'unnamed'],
  ['A Calendar', 'unnamed'],
  ['Old Date Time', 'unnamed'],
  ['', 'unnamed'],
  ['Decision Box', 'checkbox'],
  ['Multi-select', 'choices'],
  ['Checkbox (multiple)', 'checkboxes'],
  ['Select', 'choice'],
  ['Single-Select', 'choice'],
  ['Radio', 'choice'],
  ['Dropdown', 'choice'],
  ['Date-Time', 'dateTime'],
  ['DateTime', 'dateTime'],
  ['date  --  time', 'dateTime'],
  ['Calendar', 'calendar'],
  ['Date range', 'dateRange'],
  ['Date', 'date'],
  ['(Date)', 'date'],
  ['Time', 'time'],
  ['Connection', 'connection'],
  ['File', 'file'],
  ['Attachment', 'file'],
  ['Files', 'files'],
  ['Image', 'image'],
  ['Link', 'link'],
  ['Password', 'password'],
  ['Id', 'text'],
  ['Idea', 'unnamed'],
  ['Text Formula', 'text'],
  ['Date Formula', 'date'],
  ['Date/Time', 'dateTime'],
  ['Basic Formula', 'number'],
  ['Complex Formula', 'number'],
  ['Auto Increment', 'number'],
  ['Slider', 'number'],
  ['Rating', 'number'],
  ['Count', 'number'],
  ['Sum', 'number'],
  ['Select with score', 'choice'],
  ['Multi Select', 'choices'],
  ['Join', 'connection'],
  ['Signature', 'unnamed'],
  ['Number', 'number'],
  ['Currency', 'number'],
  ['Equation', 'number'],
  ['Name', 'name'],
  ['Address', 'address'],
  ['E-mail', 'unnamed'],
  ['Email', 'email'],
  ['User', 'user'],
])('the type "%s" is of the kind %s', (type, kind) => expect(findKindName(type)).toBe(kind));

test('a field without a name uses its slug as the name; without a type it is a text', () => {
  expect(createField({ name: '', type: '' })).toMatchObject({
    slug: 'f',
    name: 'f',
    type: 'Text',
    kind: 'text',
  });
  expect(createField({ name: 'Label' })).toMatchObject({ name: 'Label', type: 'Text' });
});

test.each([
  [null, ''],
  [undefined, ''],
  [0, '0'],
  ['x', 'x'],
])('the default %p is the text "%s"', (default_value, text) =>
  expect(createField({ default_value }).defaultValue).toBe(text),
);

test.each([
  ['Yes', true],
  ['YES', true],
  ['true', true],
  ['1', true],
  ['No', false],
  ['', false],
])('is_unique "%s": %p', (is_unique, unique) => expect(createField({ is_unique }).unique).toBe(unique));

test.each([
  ['Equation', true],
  ['Roll-up Rollup', true],
  ['Formula', true],
  ['Auto Number', true],
  ['AutoNumber', true],
  ['auto-increment', true],
  ['Number', false],
  ['Automatic', false],
  ['Count', true],
  ['Country', false],
  ['Sum', true],
  ['Lookup', true],
  ['Id', true],
  ['Ideal', false],
  ['Image', true],
  ['Created At', true],
  ['Updated By', true],
  ['Last Modified', true],
  ['Update', false],
])('a field of type "%s" cannot be written: %p', (type, isReadOnly) =>
  expect(createField({ type }).isReadOnly).toBe(isReadOnly),
);

test.each([
  ['1-to-1', false],
  ['N-to-1', false],
  [' N-to-1 ', false],
  ['many-to-one', false],
  ['many_to_one', false],
  ['1-to-N', true],
  ['1-to-10', true],
  [undefined, true],
  [1, true],
])('a connection joined %p takes many: %p', (join_type, many) => {
  const { connection } = createField({ type: 'Connection', join: { join_type, data_table_id: 't2' } });
  expect(connection).toMatchObject({ many, tableId: 't2' });
});

test.each([
  ['name', 'f9', ['name', 'f9']],
  ['', 'f9', ['f9']],
  [5, null, []],
])('the names of connected records are in the field with the slug %j or the ID %j', (slug, id, nameField) => {
  const join = { join_type: '1-to-N', data_table_id: 't2', field_slug: slug, field_id: id };
  expect(createField({ type: 'Connection', join }).connection).toEqual({
    many: true,
    tableId: 't2',
    nameField,
  });
});

test('the target of a connection may be missing; other fields have no target', () => {
  expect(createField({ type: 'Connection' }).connection).toEqual({
    many: true,
    tableId: undefined,
    nameField: [],
  });
  const join = { join_type: '1-to-N', data_table_id: '' };
  expect(createField({ type: 'Connection', join }).connection?.tableId).toBeUndefined();
  expect(
    createField({ type: 'Connection', join: { ...join, data_table_id: 5 } }).connection?.tableId,
  ).toBeUndefined();
  expect(createField({ type: 'User', join })).not.toHaveProperty('connection');
});

const options = [{ label: 'Red', value: 'r' }];
const createColumn = (type: string) => [{ key: 'f', label: 'F', type }];
const createListColumn = (type: string) => [
  { ...createColumn(type)[0], options: [{ name: 'Red', value: 'r' }] },
];
const createPartColumns = (type: string, rows: Array<[key: string, label: string]>) =>
  rows.map(([key, label]) => ({ key: `f${key}`, label: `F: ${label}`, type }));

test.each<[string, object[], RegExp]>([
  ['Text', createColumn('string'), /^"/],
  ['Email', createColumn('string'), /@/],
  ['Number', createColumn('number'), /^[\d.]+$/],
  ['Decision Box', createColumn('boolean'), /^true$/],
  ['Date', [{ ...createColumn('dateTime')[0], label: 'F (date)' }], /^"\d{4}-\d\d-\d\d"$/],
  ['Date-Time', createColumn('dateTime'), /^"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"$/],
  ['Time', [{ ...createColumn('string')[0], label: 'F (hh:mm)' }], /^"\d\d:\d\d:\d\d"$/],
  ['Select', createListColumn('options'), /^"Open"$/],
  [
    'Multi-select',
    [{ ...createColumn('string')[0], label: 'F (Red)' }],
    /^\["Red", "Blue"\], or "Red, Blue"$/,
  ],
  ['Connection', [{ ...createColumn('string')[0], label: 'F (names or IDs)' }], /recordId1, recordId2/],
  ['User', [{ ...createColumn('string')[0], label: 'F (user ID)' }], /recordId1/],
  ['File', [{ ...createColumn('string')[0], label: 'F (input binary field or URL)' }], /binary field/],
  [
    'Name',
    createPartColumns('string', [['[title]', 'Title'], ['[first_name]', 'First'], ['[middle_name]', 'Middle'], ['[last_name]', 'Last']]), // prettier-ignore
    /first_name/,
  ],
  [
    'Address',
    createPartColumns('string', [['[address]', 'Address'], ['[address2]', 'Address 2'], ['[city]', 'City'], ['[state]', 'State'], ['[zip]', 'ZIP'], ['[country]', 'Country']]), // prettier-ignore
    /city/,
  ],
  ['Calendar', createPartColumns('dateTime', [['__start', 'Start'], ['__end', 'End']]), /start.*end/], // prettier-ignore
])('the mapper shows a %s field as %j', (type, columns, example) => {
  const one = createField({ type, options });
  expect(listColumns(one)).toEqual(columns);
  expect(getKind(one).example).toMatch(example);
});
