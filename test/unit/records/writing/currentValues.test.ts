import { type PayloadEntries, Table } from '../../../../nodes/records';
import { isFieldFilled } from '../../../../nodes/records/fields/recordValues';
import { completeComposites } from '../../../../nodes/records/writing/currentValues';
import { parseField } from '../fields/fieldTools';

const createField = (type: string, slug = 'f') => parseField({ slug, name: 'Label', type });
const createRecord = (value: unknown) => ({ id: 'r1', f: value });
const context = { timeZone: 'UTC' };

test.each<[string, unknown, boolean]>([
  ['Number', 0, false],
  ['Number', '0', false],
  ['Currency', '0.00', false],
  ['Number', '', false],
  ['Number', '7', true],
  ['Number', '$7', true],
  ['Decision Box', 0, false],
  ['Decision Box', 'No', false],
  ['Decision Box', 'Yes', true],
  ['Text', '0', true],
  ['Text', null, false],
  ['Text', undefined, false],
  ['Connection', [], false],
  ['Connection', ['a'], true],
  ['Name', { first_name: '', last_name: null }, false],
  ['Name', { first_name: 'Ada' }, true],
  ['File', '', false],
  ['File', ['https://files.example/a.pdf'], true],
])('%s %p is filled: %p', (type, value, is) => {
  const field = createField(type);
  expect(isFieldFilled(createRecord(value), { table: new Table('t1', [field]), field })).toBe(is);
});

describe('a composite', () => {
  const table = new Table('t1', [createField('Name'), createField('Text', 'g')]);
  const complete = (value: unknown, entries: PayloadEntries) =>
    completeComposites(table, createRecord(value), entries, context);

  test('of which a part changes is sent with all its parts', () => {
    const record = { title: 'Dr', first_name: 'Ada', last_name: 'Byron', initials: 'AB' };
    expect(
      complete(record, [
        ['g', 'x'],
        ['f[first_name]', 'Eve'],
      ]),
    ).toEqual([
      ['g', 'x'],
      ['f[title]', 'Dr'],
      ['f[first_name]', 'Eve'],
      ['f[middle_name]', ''],
      ['f[last_name]', 'Byron'],
    ]);
  });

  test('is refused if a part that is not given cannot be read: it would be emptied', () => {
    const table = new Table('t1', [createField('Calendar')]);
    const record = createRecord({ start: '2030-01-01', end: '0000-00-00' });
    expect(() => completeComposites(table, record, [['f__start', '2031-01-01']], context)).toThrow(
      'cannot take "0000-00-00"',
    );
  });

  test('whose parts are all given is sent as it is, also if the record shows what cannot be sent', () => {
    const table = new Table('t1', [createField('Calendar')]);
    const entries: PayloadEntries = [
      ['f__start', '2025-03-31 10:00:00'],
      ['f__end', '2025-03-31 11:00:00'],
    ];
    const shown = { start: '31 March, ten', end: 'later', all_day: '?' };
    expect(completeComposites(table, createRecord(shown), entries, context)).toEqual(entries);
  });

  test.each([undefined, { initials: 'AB' }])('of which the record shows %j', (value) => {
    const sent = complete(value, [['f[first_name]', 'Eve']]);
    expect(sent).toEqual(
      value === undefined
        ? [['f[first_name]', 'Eve']]
        : [
            ['f[title]', ''],
            ['f[first_name]', 'Eve'],
            ['f[middle_name]', ''],
            ['f[last_name]', ''],
          ],
    );
  });
});
