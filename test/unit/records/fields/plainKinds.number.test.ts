import fc from 'fast-check';
import { getKind } from '../../../../nodes/records';
import { encodeValue } from '../../../../nodes/records/fields/recordValues';
import { tryOr } from '../../../../nodes/service';
import { createSeed, scaleRuns } from '../../../randomness';
import { catchTexts, createField } from './fieldTools';

const field = createField('Number');
const UTC = { timeZone: 'utc' };
const INVALID = 'A valid value: 12.5.';
const TOO_LONG =
  'It has more digits than a number can hold. Round it, or keep it in a field of the type Text. A valid value: 9007199254740991.';

test.each<[unknown, number]>([
  ['5.', 5],
  ['-12.25', -12.25],
  ['1e21', 1e21],
  ['2E-3', 0.002],
  ['1.5e+10', 1.5e10],
  ['-.25', -0.25],
  ['000', 0],
  ['-007', -7],
  [' 9007199254740991 ', 9007199254740991],
  ['100000000000000000000', 1e20],
])('%j is sent and read as the number %d', (value, number) => {
  expect(encodeValue(value, field, UTC)).toEqual([['f', number]]);
  expect(getKind(field).normalize(value, field)).toBe(number);
});

test.each<[unknown, string]>([
  ['12a', INVALID],
  ['a12', INVALID],
  ['1.2.3', INVALID],
  ['1e', INVALID],
  ['--1', INVALID],
  ['.', INVALID],
  ['1 000', INVALID],
  [false, INVALID],
  [[5], INVALID],
  [' 12345678901234567801 ', TOO_LONG],
  ['-9007199254740993', TOO_LONG],
  ['0.12345678901234567890', TOO_LONG],
  ['0.1000000000000000055511151231257827', TOO_LONG],
  ['1e-400', TOO_LONG],
])('%j is neither sent nor read', (value, remedy) => {
  expect(catchTexts(() => encodeValue(value, field, UTC))).toEqual([
    `"Label" cannot take ${JSON.stringify(value)}`,
    `Label (f) is of the type Number. ${remedy}`,
  ]);
  expect(getKind(field).normalize(value, field)).toBeUndefined();
});

test('a number that may have been rounded before is refused; its text is accepted', () => {
  expect(catchTexts(() => encodeValue(12345678901234567000, field, UTC))).toEqual([
    '"Label" cannot take 12345678901234567000',
    'Label (f) is of the type Number. It has more digits than a number can hold. Round it, or keep it in a field of the type Text. A valid value: 9007199254740991.',
  ]);
  expect(encodeValue('12345678901234567000', field, UTC)).toEqual([['f', 12345678901234567000]]);
  expect(encodeValue(0.1 + 0.2, field, UTC)).toEqual([['f', 0.1 + 0.2]]);
});

/** The value of a decimal as a whole number of 10^-500. */
function toExact(text: string): bigint {
  const [, sign, integer = '', fraction = '', exponent = '0'] =
    /^(-?)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  const size = BigInt(integer + fraction) * 10n ** BigInt(500 - fraction.length + Number(exponent));
  return sign ? -size : size;
}

const digits = (maxLength: number) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength }).map((list) => list.join(''));
const decimal = fc
  .tuple(
    fc.constantFrom('', '-'),
    digits(20),
    fc.constantFrom('', '.'),
    digits(20),
    fc.integer({ min: -40, max: 40 }),
  )
  .map(
    ([sign, integer, point, fraction, power]) =>
      `${sign}${integer}${point}${point && fraction}${power === 0 ? '' : `e${power}`}`,
  );

test('the digits of a number are sent as they were given, or the number is refused', () => {
  fc.assert(
    fc.property(decimal, (given) => {
      const read = getKind(field).normalize(given, field);
      const isLong = given.replace(/e.*|\D/g, '').replace(/^0+|0+$/g, '').length > 15;
      expect([isLong, read === undefined]).not.toEqual([false, true]);
      const sent = tryOr(() => encodeValue(given, field, UTC)[0]?.[1], undefined);
      expect(sent).toBe(read);
      expect(toExact(JSON.stringify(sent ?? 0))).toBe(sent === undefined ? 0n : toExact(given));
    }),
    { numRuns: scaleRuns(1000), seed: createSeed() },
  );
});

test.each([null, undefined, ''])('%p is read as null', (value) => {
  expect(getKind(field).normalize(value, field)).toBeNull();
});
