import fc from 'fast-check';
import { type PayloadEntries, Table } from '../../../../nodes/records';
import {
  completeComposites,
  encodeAsRead,
  encodeUnsentValues,
  isFilled,
  showsChange,
} from '../../../../nodes/records/writing/currentValues';
import { createSeed, scaleRuns } from '../../../randomness';
import { parseField } from '../fields/fieldTools';

const createField = (type: string, slug = 'f') => parseField({ slug, name: 'Label', type });
const createRecord = (value: unknown) => ({ id: 'r1', f: value });
const context = { timeZone: 'UTC', seesAll: true };
const readCurrent = (type: string, value: unknown, more: object = {}) =>
  encodeUnsentValues(new Table('t1', [createField(type)]), createRecord(value), [], { ...context, ...more });
/** A field whose only choice is A. */
const createChoice = (type: string) =>
  parseField({ slug: 'f', name: 'Label', type, options: [{ label: 'A', value: 'A' }] });

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
  expect(isFilled(createRecord(value), { table: new Table('t1', [field]), field })).toBe(is);
});

describe('All Fields', () => {
  /** Spec: Record, "Value when a field is omitted from a create or update payload". */
  test.each<[string, unknown, unknown[]]>([
    ['Connection', [], []],
    ['Connection', ['a'], [['f', ['a']]]],
    ['Text', '', []],
    ['Text', null, []],
    ['Date', null, []],
    ['Multi-select', [], []],
    ['Multi-select', [''], []],
    ['Address', { address: '', city: '', lat: '', lng: null }, []],
    ['Signature', '', []],
    ['File', '', []],
    // Left out, a number is "0 or null".
    ['Number', null, [['f', null]]],
    ['Number', 0, [['f', 0]]],
    ['Decision Box', 0, [['f', 0]]],
    ['Text', undefined, []],
  ])('an empty value is left out if emptying does not change it: %s %j', (type, value, entries) => {
    expect(readCurrent(type, value)).toEqual(entries);
  });

  test.each<[string, unknown, unknown]>([
    ['Number', '7.50', 7.5],
    ['Number', '-0012', -12],
    ['Currency', 19.99, 19.99],
    ['Date', '2031-03-02', '2031-03-02'],
    ['Date-Time', '2031-03-02 09:00:00', '2031-03-02 09:00:00'],
    ['Decision Box', true, 1],
    ['Text', '  two\nlines ', '  two\nlines '],
    ['Text', '**', '**'],
    ['Connection', [{ id: 'a', val: 'Acme' }], ['a']],
  ])('sends back %s %j', (type, value, sent) => {
    expect(readCurrent(type, value)).toEqual([['f', sent]]);
  });

  test.each([
    // Too many digits for a number.
    ['Number', '12345678901234567890'],
    ['Currency', '0.123456789012345678'],
    ['Number', '1,000.50'],
    ['Password', '********'],

    // Times that a date does not have, and parts that no payload has.
    ['Date', '2031-03-02 09:00:00'],
    ['Address', { city: 'Leeds', lat: 53.8, lng: -1.5 }],
    ['Name', { first_name: 'Ada', full_name: 'Ada King' }],
    ['Name', 'Ada Byron'],
    ['Address', { formatted: 'Leeds' }],
    ['Text', { odd: 1 }],
    // A type that is not known.
    ['Signature', 'text'],
    ['Signature', [1, 'two']],
    ['File', ['https://files.example/a.pdf']],
  ])('%s %p would not come back as it was, and is refused', (type, value) => {
    expect(() => readCurrent(type, value)).toThrow('which cannot be sent back as it is');
  });

  test.each([
    ['Dropdown', 'Gone', 'Gone'],
    ['Multi-select', ['A', 'Gone'], ['A', 'Gone']],
  ])('sends back a choice of a %s that was removed', (type, value, sent) => {
    const table = new Table('t1', [createChoice(type)]);
    expect(encodeUnsentValues(table, createRecord(value), [], context)).toEqual([['f', sent]]);
  });

  test.each([
    ['Connection', ['a']],
    ['Connection', []],
    ['Text', undefined],
  ])('a user may not see all of %s %j, so it is refused', (type, value) => {
    expect(() => readCurrent(type, value, { seesAll: false })).toThrow('values that this user cannot see');
  });

  test('what was sent back equals what was read, or nothing is sent: any text and number', () => {
    const scalar = fc.oneof(
      fc.string(),
      fc.double({ noNaN: true }),
      fc.integer(),
      fc.bigInt().map(String),
      fc.tuple(fc.nat(), fc.bigInt({ min: 0n })).map(([whole, digits]) => `${whole}.${digits}`),
      fc.date({ noInvalidDate: true }).map((date) => date.toISOString().replace('T', ' ').slice(0, 19)),
    );
    const types = ['Text', 'Number', 'Currency', 'Date', 'Date-Time', 'Time', 'Email', 'Name', 'Address', 'Calendar', 'Decision Box']; // prettier-ignore
    const value = fc.oneof(
      scalar,
      fc.dictionary(fc.constantFrom('first_name', 'city', 'lat', 'start'), scalar, { noNullPrototype: true }),
    );
    fc.assert(
      fc.property(fc.constantFrom(...types), value, (type, read) => {
        const entries = encodeAsRead(read, createField(type), context);
        if (entries === undefined) return;
        const list = (one: unknown): string[] =>
          typeof one === 'object' && one !== null ? Object.values(one).flatMap(list) : [String(one ?? '')];
        const sent = entries.flatMap(([, one]) => list(one));
        for (const text of list(read).filter(Boolean)) {
          const isSame = sent.some(
            (one) => one === text || (Number(one) === Number(text) && sameDigits(one, text)),
          );
          expect({ type, read, sent, isSame }).toMatchObject({ isSame: true });
        }
      }),
      { numRuns: scaleRuns(4_000), seed: createSeed() },
    );
  });
});

/** Whether two decimal numbers have the same digits, without zeros that mean nothing. */
function sameDigits(one: string, other: string): boolean {
  const digits = (text: string) =>
    text
      .replace(/^-?0*/, '')
      .replace(/(\.\d*?)0*$/, '$1')
      .replace(/\.$/, '');
  return digits(one) === digits(other) || /e/i.test(one + other);
}

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

test.each<[string, unknown, unknown, unknown, boolean]>([
  ['Text', 'old', 'new', 'new', true],
  ['Text', 'old', ' New ', 'new', true],
  ['Text', 'old', 'new', 'old', false],
  // What was there before shows nothing.
  ['Text', 'new', 'NEW', 'new', false],
  ['Number', 1, 2, '2.0', true],
  ['Number', 1, null, '', true],
  ['Multi-select', [], ['a', 'b'], ['b', 'a'], true],
  ['Multi-select', ['a'], [], [''], true],
  ['File', '', [{ fileName: 'a', mimeType: 'b', data: Buffer.from('c') }], ['https://x/a'], true],
  ['File', ['https://x/a'], [], ['https://x/a'], false],
])('%s: %j, changed to %j, is shown by %j: %s', (type, before, sent, after, isShown) => {
  const table = new Table('t1', [createField(type)]);
  const records = { before: createRecord(before), after: createRecord(after) };
  expect(showsChange(table, records, [['f', sent as string]])).toBe(isShown);
});
