import { defineParameter, parseParameter } from '../../../../nodes/n8n/parameters/parameter';
import type { InputError } from '../../../../nodes/service';

const text = defineParameter({ displayName: 'City', name: 'city', type: 'string', default: '' });
const required = defineParameter({ ...text, required: true });
const lenient = defineParameter({ ...text, allowsEmptyExpression: true });
const choice = defineParameter({
  displayName: 'Source',
  name: 'source',
  type: 'options',
  default: 'a',
  options: [
    { name: 'A', value: 'a' },
    { name: 'B', value: 'b' },
  ],
});
const number = defineParameter({
  displayName: 'Limit',
  name: 'limit',
  type: 'number',
  typeOptions: { minValue: 1, maxValue: 10 },
  default: 5,
});
const list = defineParameter({
  displayName: 'Column Names or IDs',
  name: 'columns',
  type: 'multiOptions',
  default: [],
  typeOptions: { loadOptionsMethod: 'getFields' },
});

const typed = (value: unknown) => ({ value, isExpression: () => false });
const found = (value: unknown) => ({ value, isExpression: () => true });

test('an optional text may be empty; an expression without a value is an error', () => {
  expect(parseParameter(text, typed(''))).toBe('');
  expect(parseParameter(text, typed(' Rome '))).toBe('Rome');
  expect(parseParameter(text, found(7))).toBe('7');
  for (const nothing of ['', ' ', null, undefined]) {
    expect(() => parseParameter(text, found(nothing))).toThrow('City: the expression has found nothing');
    expect(parseParameter(lenient, found(nothing))).toBe('');
  }
  expect(() => parseParameter(text, found({ a: 1 }))).toThrow('City cannot be {"a":1}');
});

test('a required text may not be empty', () => {
  expect(() => parseParameter(required, typed(''))).toThrow('City is missing');
  expect(parseParameter(required, typed('Rome'))).toBe('Rome');
});

test('a choice is one of the listed values', () => {
  const value: 'a' | 'b' = parseParameter(choice, typed('b'));
  expect(value).toBe('b');
  for (const other of ['B', '', undefined, null]) {
    expect(() => parseParameter(choice, found(other))).toThrow('Source cannot be');
  }
  const describe = (raw: ReturnType<typeof found>) => {
    try {
      return parseParameter(choice, raw);
    } catch (error) {
      return (error as InputError).description;
    }
  };
  // An expression returns the values that the form does not show.
  const remedy = 'Give one of: a (A), b (B). An expression may have returned nothing.';
  expect([typed('c'), found('c')].map(describe)).toEqual([remedy, remedy]);
});

test('a number is whole and within the limits of the form', () => {
  expect(parseParameter(number, typed(1))).toBe(1);
  expect(parseParameter(number, found('10'))).toBe(10);
  for (const other of [0, -5, 11, 1.5, 'abc', '', null, undefined, true, NaN]) {
    expect(() => parseParameter(number, found(other))).toThrow(/^Limit cannot be/);
  }
});

test('a list contains each entry once; an expression without a value is an error', () => {
  expect(parseParameter(list, typed([]))).toEqual([]);
  expect(parseParameter(list, found('a, b, a'))).toEqual(['a', 'b']);
  for (const other of [null, undefined, [null], ['', null]]) {
    expect(() => parseParameter(list, found(other))).toThrow('Column cannot be');
  }
});
