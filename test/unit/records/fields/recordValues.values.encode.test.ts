import { DateTime } from 'luxon';
import { encodeValue } from '../../../../nodes/records/fields/recordValues';
import { InputError } from '../../../../nodes/service';
import { parseField } from './fieldTools';

/** Examples of encoded values (`index.property.test.ts` uses random ones), and the errors of refused values. */

const options = [
  { label: 'Red', value: 'r' },
  { label: 'Blue, dark', value: 'b' },
];
const createField = (type: string, more: object = {}) =>
  parseField({ slug: 'f', name: 'Label', type, ...more });
const ONE = { join: { join_type: 'N-to-1' } };
const MANY = { join: { join_type: '1-to-N' } };
const file = { fileName: 'a', mimeType: 'b', data: new Uint8Array(1) };
/** A date of another copy of Luxon, as an expression may return it. */
const foreign = { toISO: () => '2025-03-31T10:00:00.000Z' };
const encode = (type: string, value: unknown, more?: object) =>
  encodeValue(value, createField(type, more), { timeZone: 'Asia/Tokyo' });

test.each<[string, unknown, unknown, object?]>([
  ['Text', 5, '5'],
  ['Text', false, 'false'],
  ['Text', ' a ', ' a '],
  ['Email', ' ada@example.com ', 'ada@example.com'],
  ['Number', ' 12.5 ', 12.5],
  ['Number', 0, 0],
  ['Number', '-1e3', -1000],
  ['Number', '+007', 7],
  ['Number', '.5', 0.5],
  ['Number', '-0', -0],
  ['Number', '123456789012345670000', 123456789012345670000],
  ...[true, 1, '1', 'TRUE', ' yes ', 'on', 'checked'].map((value): [string, unknown, number] => [
    'Decision Box',
    value,
    1,
  ]),
  ...[false, 0, '0', 'False', ' no ', 'off', 'unchecked', '', ' ', null].map(
    (value): [string, unknown, number] => ['Decision Box', value, 0],
  ),
  ['Date', '2025-03-31T20:00:00Z', '2025-04-01'],
  ['Date', ' 2025-03-31 ', '2025-03-31'],
  ['Date-Time', '2025-03-31T10:00:00+02:00', '2025-03-31 17:00:00'],
  ['Date-Time', '2025-03-31 10:00:00', '2025-03-31 10:00:00'],
  ['Date-Time', new Date('2025-03-31T10:00:00Z'), '2025-03-31 19:00:00'],
  ['Date-Time', foreign, '2025-03-31 19:00:00'],
  ['Time', '14:30', '14:30:00'],
  ['Time', ' 9:05 ', '09:05:00'],
  ['Time', '2025-03-31T05:30:00Z', '14:30:00'],
  ['Time', '2025-03-31 14:30:00', '14:30:00'],
  ['Date', '20250331', '2025-03-31'],
  ['Date-Time', '20250331T140000', '2025-03-31 14:00:00'],
  ['Select', 'r', 'r'],
  ['Select', ' RED ', 'r'],
  ['Multi-select', 'Blue, dark', ['b']],
  ['Multi-select', 'b', ['b']],
  ['Multi-select', ' Red , b, ', ['r', 'b']],
  ['Multi-select', ['Red'], ['r']],
  ['Multi-select', '["Red", "b"]', ['r', 'b']],
  ['Multi-select', ' [] ', []],
  ['Multi-select', '[any], [thing', ['[any]', '[thing'], { options: [] }],
  ['Multi-select', '[any, thing]', ['[any', 'thing]'], { options: [] }],
  ['Connection', '["a", "b"]', ['a', 'b'], MANY],
  ['Multi-select', 'any, thing', ['any', 'thing'], { options: [] }],
  ['Connection', ' a ', 'a', ONE],
  ['Connection', 7, '7', ONE],
  ['Connection', { id: { id: ' a ' } }, 'a', ONE],
  ['Connection', 'a, b', ['a', 'b'], MANY],
  ['Connection', [{ id: 'a', val: 'A' }, 5], ['a', '5'], MANY],
  ['User', 'K7pQ2xW9Lm', 'K7pQ2xW9Lm'],
  ['File', file, [file]],
  ['File', [null, file, '', undefined, file], [file, file]],
])('%s: %p is sent as %p', (type, value, sent, more = { options }) => {
  expect(encode(type, value, more)).toEqual([['f', sent]]);
});

test.each<[string, unknown, object?]>([
  ['Text', ''],
  ['Email', ''],
  ['Number', null],
  ['Date', null],
  ['Date-Time', null],
  ['Time', null],
  ['Select', ''],
  ['Multi-select', []],
  ['Connection', '', ONE],
  ['Connection', [], MANY],
  ['File', []],
])('%s is cleared with %p', (type, sent, more = { options }) => {
  for (const blank of [null, undefined, '']) expect(encode(type, blank, more)).toEqual([['f', sent]]);
});

test('sends composites by their parts, for both names of each part', () => {
  expect(encode('Name', { first: 'Ada', last_name: 5, title: null })).toEqual([
    ['f[first_name]', 'Ada'],
    ['f[last_name]', '5', 5],
    ['f[title]', ''],
  ]);
  expect(encode('Calendar', { end: '2025-03-31', start: null })).toEqual([
    ['f__end', '2025-03-31'],
    ['f__start', null],
  ]);
  expect(encode('Name', null).map(([key, value]) => [key, value])).toEqual(
    ['title', 'first_name', 'middle_name', 'last_name'].map((part) => [`f[${part}]`, '']),
  );
  expect(encode('Address', '')).toHaveLength(6);
  expect(encode('Calendar', undefined)).toEqual([['f__start', null], ['f__end', null]]); // prettier-ignore
});

test.each<[string, unknown, string, object?]>([
  ['Text', {}, '"Blue"'],
  ['Text', [], '"Blue"'],
  ['Email', 'ada', '"ada@example.com"'],
  ['Email', '@example.com', '"ada@example.com"'],
  ['Email', 'ada@', '"ada@example.com"'],
  ['Email', 'a b@example.com', '"ada@example.com"'],
  ['Email', 'ada@exam ple.com', '"ada@example.com"'],
  ['Email', 'a@b@c', '"ada@example.com"'],
  ['Email', 5, '"ada@example.com"'],
  ['Number', 'abc', '12.5'],
  ['Number', ' ', '12.5'],
  ['Number', Infinity, '12.5'],
  ['Number', '0x1F', '12.5'],
  ['Number', '1_000', '12.5'],
  ['Number', '12345678901234567801', '9007199254740991'],
  ['Number', true, '12.5'],
  ['Decision Box', 'maybe', 'true'],
  ['Decision Box', 2, 'true'],
  ['Date', 'soon', '"2025-03-31"'],
  ['Date', '12', '"2025-03-31"'],
  ['Date', '1000', '"2025-03-31"'],
  ['Date', '202503', '"2025-03-31"'],
  ['Date', '2025-03', '"2025-03-31"'],
  ['Date', '2025123', '"2025-03-31"'],
  ['Time', '1430', '"14:30:00"'],
  ['Time', '14', '"14:30:00"'],
  ['Time', '2025-03-31', '"14:30:00"'],
  ['Date', '14:30:00', '"2025-03-31"'],
  ['Date', '2025-02-30', '"2025-03-31"'],
  ['Date-Time', '14:30', '"2025-03-31 14:30:00"'],
  ['Time', '25:00:00', '"14:30:00"'],
  ['Date', 5, '"2025-03-31"'],
  ['Date', {}, '"2025-03-31"'],
  ['Date', { toISO: 'text' }, '"2025-03-31"'],
  ['Date', new Date('x'), '"2025-03-31"'],
  ['Select', 'Green', 'Its choices are: Red', { options }],
  ['Select', {}, 'Its choices are: Red, Blue, dark.', { options }],
  ['Multi-select', ['Red', {}], 'Its choices are: Red, Blue, dark.', { options }],
  ['Multi-select', ['Red', 'Green'], 'Its choices are: Red', { options }],
  ['Connection', 'a, b', '"recordId1"', ONE],
  ['Connection', [{ name: 'a' }], '["recordId1"', MANY],
  ['Connection', [' '], '["recordId1"', MANY],
  ['Connection', true, '["recordId1"', ONE],
  ['File', 'data', '"data"'],
  ['File', [file, { data: 'text' }], '"data"'],
  ['Name', 'Ada', '{"first_name"'],
  ['Name', ['Ada'], '{"first_name"'],
  ['Name', { nick: 'A' }, '{"first_name"'],
  ['Name', { first: {} }, '{"first_name"'],
  ['Calendar', { start: 'soon' }, '"2025-03-31"'],
])('%s refuses %j, and shows %s', (type, value, example, more = {}) => {
  let error: InputError | undefined;
  try {
    encode(type, value, more);
  } catch (thrown) {
    error = thrown as InputError;
  }
  expect(error).toBeInstanceOf(InputError);
  expect(error!.message).toMatch(/^"Label" cannot take /);
  expect(error!.description).toMatch(/^Label \(f(__start)?\) is of the type /);
  expect(error!.description).toContain(`the type ${type}. `);
  expect(error!.description).toContain(example);
});

test('the error lists the choices, at most a dozen', () => {
  const getRemedy = (count: number): string => {
    const many = Array.from({ length: count }, (_, index) => ({ label: `L${index}`, value: `${index}` }));
    try {
      encode('Select', 'none', { options: many });
    } catch (error) {
      return (error as InputError).description;
    }
    return '';
  };
  const dozen = Array.from({ length: 12 }, (_, index) => `L${index}`).join(', ');
  expect(getRemedy(12)).toBe(`Label (f) is of the type Select. Its choices are: ${dozen}.`);
  expect(getRemedy(13)).toBe(`Label (f) is of the type Select. Its choices are: ${dozen}, ….`);
});

test('the error names an unknown part, or the limit of a connection to one record', () => {
  expect(() => encode('Name', { nick: 'A' })).toThrow(expect.objectContaining({ description: expect.stringContaining('It has no part "nick", only title, first_name, middle_name, last_name.') as string })); // prettier-ignore
  expect(() => encode('Connection', 'a, b', ONE)).toThrow(expect.objectContaining({ description: expect.stringContaining('It connects to one record only.') as string })); // prettier-ignore
});

test("sends text in the service's format unchanged, also for times skipped by daylight saving", () => {
  const berlin = { timeZone: 'Europe/Berlin' };
  expect(encodeValue('2025-03-30 02:30:00', createField('Date-Time'), berlin)).toEqual([
    ['f', '2025-03-30 02:30:00'],
  ]);
  expect(encodeValue('02:30:00', createField('Time'), berlin)).toEqual([['f', '02:30:00']]);
  expect(encodeValue('2025-03-30', createField('Date'), berlin)).toEqual([['f', '2025-03-30']]);
});

test('encodes Luxon dates', () => {
  const moment = DateTime.fromISO('2025-03-31T10:00:00Z');
  expect(encode('Date-Time', moment)).toEqual([['f', '2025-03-31 19:00:00']]);
  expect(() => encode('Date', DateTime.invalid('no'))).toThrow(/^"Label" cannot take /);
});
