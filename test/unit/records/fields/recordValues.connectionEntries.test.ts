import { looksLikeId } from '../../../../nodes/records/fields/connection';
import { mayBeId, parseConnectionEntries } from '../../../../nodes/records/fields/recordValues';
import { formatForError } from '../../../../nodes/service';
import { parseField } from './fieldTools';

const field = parseField({ slug: 'company', name: 'Company', type: 'Connection' });
const text = (value: string) => ({ type: 'text', text: value });

describe('the entries of a value', () => {
  test.each([
    ['Acme', [text('Acme')]],
    ['  Acme ', [{ ...text('Acme'), given: '  Acme ' }]],
    [17, [text('17')]],
    [
      ['a|b', '__proto__', 'constructor'],
      [text('a|b'), text('__proto__'), text('constructor')],
    ],
    ['["Smith, Jones", "b"]', [text('Smith, Jones'), text('b')]],
    [{ id: 'r1', val: 'Acme' }, [{ type: 'id', text: 'r1', shown: 'Acme' }]],
    [
      [{ name: 'Acme' }, { id: 7 }],
      [
        { type: 'name', text: 'Acme' },
        { type: 'id', text: '7' },
      ],
    ],
    [['a', '', null], [text('a')]],
    [
      [' a ', { id: ' r1 ' }],
      [
        { ...text('a'), given: ' a ' },
        { type: 'id', text: 'r1', given: ' r1 ' },
      ],
    ],
    ['', []],
    [null, []],
    [[], []],
  ])('%j', (value, entries) => {
    expect(parseConnectionEntries(value, field, 'detect')).toEqual({ entries });
  });

  test('a text with commas is divided, and kept whole beside it unless it has IDs', () => {
    const value = 'Smith, Jones';
    const divided = [text('Smith'), text('Jones')];
    expect(parseConnectionEntries(value, field, 'detect')).toEqual({ entries: divided, whole: value });
    expect(parseConnectionEntries(value, field, 'names').whole).toBe(value);
    expect(parseConnectionEntries(value, field, 'ids')).toEqual({
      entries: divided.map((entry) => ({ ...entry, type: 'id' })),
    });
    expect(parseConnectionEntries(` ${value}\n`, field, 'detect')).toEqual({
      entries: divided,
      whole: ` ${value}\n`,
    });
    for (const list of ['["a", "b"]', ' ["a", "b"]'])
      expect(parseConnectionEntries(list, field, 'detect')).toStrictEqual({
        entries: [text('a'), text('b')],
      });
    expect(parseConnectionEntries([value], field, 'detect')).toStrictEqual({ entries: [text(value)] });
  });

  test.each(['detect', 'ids', 'names'] as const)(
    '%s applies to texts, never to {id} and {name}',
    (notation) => {
      const { entries } = parseConnectionEntries(['x', { id: 'y' }, { name: 'z' }], field, notation);
      const types = { detect: 'text', ids: 'id', names: 'name' };
      expect(entries.map(({ type }) => type)).toEqual([types[notation], 'id', 'name']);
    },
  );

  test.each([[{ other: 1 }], [[true]], [[['nested']]], [{ id: { id: 'x' } }], [Number.NaN], [{ name: '' }]])(
    '%j is an error that shows valid values',
    (value) => {
      expect(() => parseConnectionEntries(value, field, 'detect')).toThrow(
        expect.objectContaining({
          message: `"Company" cannot take ${formatForError(value)}`,
          description:
            'Company (company) is of the type Connection. A valid value: "Acme", ["recordId1", "recordId2"], {"id": "recordId1"} or {"name": "Acme"}.',
        }),
      );
    },
  );
});

test.each([
  ['K7pQ2xW9Lm', true],
  ['aaaaaaaaa1', true],
  ['aaaaaAaaaa', true],
  ['ADBERGJOKL', true],
  ['Lemonade77', true],
  ['Leonardo77', true],
  ['PostgreSQL', false],
  ['Company123', false],
  ['Labradorna', false],
  ['appliances', false],
  ['lemonadean', false],
  ['1234567890', false],
  ['K7pQ2xW9L', false],
  ['K7pQ2xW9Lmn', false],
  ['K7pQ 2xW9L', false],
  ['K7pQ-2xW9L', false],
])('%s has the form of an ID: %p', (value, expected) => {
  expect(looksLikeId(value)).toBe(expected);
});

test.each([
  ['rec/1==', true],
  ['two words', false],
  ['ünïcödé', false],
  ['', false],
])('%j can be part of an address: %p', (value, expected) => {
  expect(mayBeId(value)).toBe(expected);
});

test('an ID has at most 200 characters', () => {
  expect(mayBeId('x'.repeat(200))).toBe(true);
  expect(mayBeId('x'.repeat(201))).toBe(false);
});
