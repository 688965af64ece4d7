import { formatForError, InputError, joinFirst } from '../../../../../nodes/shared/model/input/inputError';

test('an error has a message, a remedy and its name', () => {
  const { name, message, remedy } = new InputError('Limit cannot be -1', 'Give a positive number.');
  expect({ name, message, remedy }).toEqual({
    name: 'InputError',
    message: 'Limit cannot be -1',
    remedy: 'Give a positive number.',
  });
});

test.each([
  [undefined, 'undefined'],
  [null, 'null'],
  [10n, '10'],
  [-0.5, '-0.5'],
  [Infinity, 'Infinity'],
  [NaN, 'NaN'],
  ['a "b"', '"a \\"b\\""'],
  ['x'.repeat(78), `"${'x'.repeat(78)}"`],
  ['x'.repeat(79), `"${'x'.repeat(76)}…`],
])('shown in a message, %p is %s', (value, text) => {
  expect(formatForError(value)).toBe(text);
  expect(text.length).toBeLessThanOrEqual(80);
});

test('an expression may return what JSON cannot represent', () => {
  const circle: unknown[] = [];
  circle.push(circle);
  const add = (a: number) => a;
  expect([add, Symbol('x'), { count: 1n, add }, circle].map(formatForError)).toEqual([
    JSON.stringify(String(add)),
    '"Symbol(x)"',
    JSON.stringify({ count: '1', add: String(add) }),
    '[object Array]',
  ]);
});

test('a message joins the first texts', () => {
  const texts = [...'abcdefghijk'];
  expect(joinFirst([])).toBe('');
  expect(joinFirst(['a', 'b'])).toBe('a, b');
  expect(joinFirst(texts.slice(0, 10))).toBe('a, b, c, d, e, f, g, h, i, j');
  expect(joinFirst(texts)).toBe('a, b, c, d, e, f, g, h, i, j, …');
  expect(joinFirst(texts, '; ', 2)).toBe('a; b; …');
});
