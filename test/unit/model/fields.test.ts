import { codecOf, fieldFrom } from '../../../nodes/shared/model/fields';
import { kindOfType } from '../../../nodes/shared/model/fields/kind';
import { fullFieldSchema } from '../../../nodes/shared/model/responses';

const field = (more: object = {}) =>
  fieldFrom(fullFieldSchema.parse({ slug: 'f', name: 'F', type: 'Text', ...more }));

/** Spec: "Field-type value formats", and spellings that it leaves open. */
test.each([
  ['Text', 'text'],
  ['Phone', 'text'],
  ['Rich Text', 'text'],
  ['Update', 'text'],
  ['Runtime', 'text'],
  ['Short Name', 'text'],
  ['IP Address', 'text'],
  ['Secondary Email', 'text'],
  ['Active User', 'text'],
  ['My Selection', 'text'],
  ['Big Number', 'text'],
  ['No Connection', 'text'],
  ['Old File', 'text'],
  ['A Decision', 'text'],
  ['A Multi', 'text'],
  ['A Calendar', 'text'],
  ['Old Date Time', 'text'],
  ['', 'text'],
  ['Decision Box', 'checkbox'],
  ['Multi-select', 'choices'],
  ['Checkbox (multiple)', 'choices'],
  ['Select', 'choice'],
  ['Single-Select', 'choice'],
  ['Radio', 'choice'],
  ['Dropdown', 'choice'],
  ['Date-Time', 'dateTime'],
  ['DateTime', 'dateTime'],
  ['date  --  time', 'dateTime'],
  ['Calendar', 'calendar'],
  ['Date range', 'calendar'],
  ['Date', 'date'],
  ['(Date)', 'date'],
  ['Time', 'time'],
  ['Connection', 'connection'],
  ['File', 'file'],
  ['Image', 'file'],
  ['Attachment', 'file'],
  ['Number', 'number'],
  ['Currency', 'number'],
  ['Equation', 'number'],
  ['Name', 'name'],
  ['Address', 'address'],
  ['E-mail', 'text'],
  ['Email', 'email'],
  ['User', 'user'],
])('the type "%s" is of the kind %s', (type, kind) => expect(kindOfType(type)).toBe(kind));

test('a field without a name is called by its slug, without a type it is a text', () => {
  expect(field({ name: '', type: '' })).toMatchObject({ slug: 'f', name: 'f', type: 'Text', kind: 'text' });
  expect(field({ name: 'Label' })).toMatchObject({ name: 'Label', type: 'Text' });
});

test.each([
  [null, ''],
  [undefined, ''],
  [0, '0'],
  ['x', 'x'],
])('the default %p is the text "%s"', (default_value, text) =>
  expect(field({ default_value }).defaultValue).toBe(text),
);

test.each([
  ['Yes', true],
  ['YES', true],
  ['No', false],
])('is_unique "%s": %p', (is_unique, unique) => expect(field({ is_unique }).unique).toBe(unique));

test.each([
  ['Equation', true],
  ['Roll-up Rollup', true],
  ['Formula', true],
  ['Auto Number', true],
  ['AutoNumber', true],
  ['auto-increment', true],
  ['Number', false],
  ['Automatic', false],
])('a field of type "%s" is worked out by the service: %p', (type, computed) =>
  expect(field({ type }).computed).toBe(computed),
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
  const { connection } = field({ type: 'Connection', join: { join_type, data_table_id: 't2' } });
  expect(connection).toEqual({ many, tableId: 't2' });
});

test('a connection may not say where it leads; other fields have none', () => {
  expect(field({ type: 'Connection' }).connection).toEqual({ many: true, tableId: undefined });
  const join = { join_type: '1-to-N', data_table_id: '' };
  expect(field({ type: 'Connection', join }).connection?.tableId).toBeUndefined();
  expect(
    field({ type: 'Connection', join: { ...join, data_table_id: 5 } }).connection?.tableId,
  ).toBeUndefined();
  expect(field({ type: 'User', join })).not.toHaveProperty('connection');
});

const options = [{ label: 'Red', value: 'r' }];
const column = (type: string) => [{ key: 'f', label: 'F', type }];
const listed = (type: string) => [{ ...column(type)[0], options: [{ name: 'Red', value: 'r' }] }];
const parts = (type: string, rows: Array<[key: string, label: string]>) =>
  rows.map(([key, label]) => ({ key: `f${key}`, label: `F: ${label}`, type }));

test.each<[string, object[], RegExp]>([
  ['Text', column('string'), /^"/],
  ['Email', column('string'), /@/],
  ['Number', column('number'), /^[\d.]+$/],
  ['Decision Box', column('boolean'), /^true$/],
  ['Date', column('dateTime'), /^"\d{4}-\d\d-\d\d"$/],
  ['Date-Time', column('dateTime'), /^"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"$/],
  ['Time', column('time'), /^"\d\d:\d\d:\d\d"$/],
  ['Select', listed('options'), /^"Open"$/],
  ['Multi-select', column('string'), /^\["Red", "Blue"\], or "Red, Blue"$/],
  ['Connection', column('string'), /recordId1, recordId2/],
  ['User', column('string'), /recordId1/],
  ['File', [{ ...column('string')[0], label: 'F (Input Binary Field)' }], /binary field/],
  [
    'Name',
    parts('string', [['[title]', 'Title'], ['[first_name]', 'First'], ['[middle_name]', 'Middle'], ['[last_name]', 'Last']]), // prettier-ignore
    /first_name/,
  ],
  [
    'Address',
    parts('string', [['[address]', 'Address'], ['[address2]', 'Address 2'], ['[city]', 'City'], ['[state]', 'State'], ['[zip]', 'ZIP'], ['[country]', 'Country']]), // prettier-ignore
    /city/,
  ],
  ['Calendar', parts('dateTime', [['__start', 'Start'], ['__end', 'End']]), /start.*end/], // prettier-ignore
])('the mapper shows a %s field as %j', (type, columns, example) => {
  const one = field({ type, options });
  expect(codecOf(one).columns(one)).toEqual(columns);
  expect(codecOf(one).example).toMatch(example);
});
