import fc from 'fast-check';
import { createItemConverter, hashFieldValues, selectValuesToWrite, Table } from '../../../../nodes/records';
import { listChangedEntries } from '../../../../nodes/records/writing/currentValues';
import { encodeRecordValues } from '../../../../nodes/records/writing/payload';
import { expectEqual } from '../../../expectEqual';
import { createSeed, scaleRuns } from '../../../randomness';
import { KIND_NAMES, parseField } from './fieldTools';

/** A value that a record shows can be given back: the record holds it already, whether the field would take it or not. */

const RUNS = { numRuns: scaleRuns(2_000), seed: createSeed() };

const context = { timeZone: 'Asia/Kolkata', allowsRefused: true };
const options = [
  { label: 'Red', value: 'r' },
  { label: 'Blue, dark', value: 'b' },
  // The label of another choice, and the same word twice.
  { label: 'r', value: 'Red' },
  { label: 'red', value: 'x' },
];

const text = fc.oneof(
  fc.string(),
  fc.constantFrom('', ' a  b ', 'a, b', '{"a": 1}', '[1]', 'null', '😀', '\ud83d'),
);
const choice = fc.constantFrom('r', 'b', 'Red', 'red', 'Blue, dark', 'removed', 'removed, too', '');
const day = fc.constantFrom(
  null,
  '',
  '2025-03-31',
  '0000-00-00',
  '2025-02-30',
  '31/03/2025',
  '2025-03-31T00:00:00+02:00',
);
const moment = fc.constantFrom(
  ...[
    null,
    '',
    '2025-03-31 14:30:00',
    '2025-03-31T14:30:00+02:00',
    '2025-03-31',
    '0000-00-00 00:00:00',
    'soon',
  ],
);
const range = (end: fc.Arbitrary<unknown>) =>
  fc.oneof(
    fc.record({ start: end, end }),
    fc.record({ start: moment, end: moment, all_day: fc.constantFrom('', 'Yes', 'No', 'maybe') }),
    end,
  );
const number = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom<unknown>(null, '', 0, '7.50', '$5', '7615917337495251231', 2 ** 60),
);
const id = fc.constantFrom('b6WQk9NrBZ', 'K7pQ2xW9Lm', '12', 'a+/=');
const entries = fc.uniqueArray(fc.record({ id, val: text }), { selector: (one) => one.id });
const connected = fc.oneof(
  entries,
  entries.map((all) => all.map((one) => one.id)),
  fc.constantFrom<unknown>('', null, [], 'b6WQk9NrBZ'),
);
const file = fc.constantFrom<unknown>('', [], 'https://a.example/b.pdf', '/files/a, b.pdf', [
  { url: '/a', key: 'a' },
]);

/** Each type, and the values that a service as documented or as met shows for it, those that it would refuse too. */
const TYPES: Array<[kind: string, type: string, values: fc.Arbitrary<unknown>]> = [
  ['text', 'Text', fc.oneof(text, fc.constantFrom<unknown>(null, 5, true, [], ['a'], { a: 1 }))],
  ['email', 'Email', fc.oneof(fc.emailAddress(), fc.constantFrom('', ' Ada@Example.com ', 'ada', 'a@b@c'))],
  ['link', 'Link', fc.oneof(text, text.map((link) => ({ link })), fc.constant(null))],
  ['password', 'Password', fc.constantFrom('', '********', '••••')],
  ['number', 'Number', number],
  ['checkbox', 'Decision Box', fc.constantFrom<unknown>(0, 1, '1', '', null, true, 'Yes', 'maybe', 2)],
  ['date', 'Date', day],
  ['time', 'Time', fc.constantFrom(null, '', '09:05:00', '9:05', '25:00:00', '2025-03-31T14:30:00+02:00')],
  ['dateTime', 'Date-Time', moment],
  ['calendar', 'Calendar', range(day)],
  ['dateRange', 'Date Range', range(moment)],
  ['name', 'Name', fc.record({ title: text, first_name: text, last_name: text }, { requiredKeys: [] })],
  ['address', 'Address', fc.record({ city: text, zip: fc.oneof(text, fc.constant(null)) }, { requiredKeys: [] })],
  ['address', 'Address', fc.record({ city: fc.constant('Leeds'), lat: text })],
  ['choice', 'Select', fc.oneof(choice, choice.map((one) => [one]), fc.constant(null))],
  ['choices', 'Multi-select', fc.oneof(fc.array(choice), choice, fc.constant(null))],
  ['checkboxes', 'Checkbox', fc.array(choice)],
  ['connection', 'Connection', connected],
  ['user', 'User', connected],
  ['file', 'File', file],
  ['files', 'Files', file],
  ['image', 'Image', fc.constantFrom<unknown>('', { src: 'https://a.example/a.png', width: 5 })],
  ['unnamed', 'Signature', fc.oneof(text, number, fc.constantFrom<unknown>(['a'], [], { stars: 5, note: '' }))],
]; // prettier-ignore

test('every kind of a field is tried', () => {
  const kinds = TYPES.map(([, type]) => parseField({ slug: 'f', name: 'F', type }).kind);
  expect(kinds).toEqual(TYPES.map(([kind]) => kind));
  expect(KIND_NAMES.filter((kind) => !kinds.includes(kind))).toEqual(['rangeEnd', 'allDay']);
});

const createTable = (type: string) =>
  new Table('t', [parseField({ slug: 'f', name: 'My Field', type, options })]);

/** What Get Many returns, by the choices of Simplify. */
const FORMS = [false, true].flatMap((simplified) =>
  [false, true].map((displayNames) => ({ simplified, displayNames })),
);

test.each(TYPES)('%s: the record holds what it shows', (_, type, values) => {
  const table = createTable(type);
  fc.assert(
    fc.property(values, fc.constantFrom(...FORMS), (f, form) => {
      const record = { id: 'r1', f };
      const shown = createItemConverter(form, table)(record);
      const given = selectValuesToWrite(shown, table, { as: 'item', notation: 'ids' });
      const entries = encodeRecordValues(given, table, context);
      const changed = listChangedEntries(table, record, entries, true);
      expectEqual({ shown, changed }, { shown, changed: [] });
    }),
    RUNS,
  );
});

test.each(TYPES)('%s: a value has one hash, simplified or not', (_, type, values) => {
  const table = createTable(type);
  const hash = (record: object) =>
    hashFieldValues({ ...record }, ['f'], table.fields, { length: 8 }).get('f');
  fc.assert(
    fc.property(values, (f) => {
      const { f_id: ids, ...shown } = createItemConverter({ simplified: true }, table)({ f });
      expectEqual(hash(ids === undefined ? shown : { f: ids }), hash({ f }));
    }),
    RUNS,
  );
});
