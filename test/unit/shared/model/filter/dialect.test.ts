import { z } from 'zod';
import {
  createDialectError,
  fillPlaceholders,
  parseJsonInput,
} from '../../../../../nodes/shared/model/filter/dialect';

const dialect = { label: 'Rules', example: '[{"a": "x"}]', corrections: { b: 'a' } };
const REMEDY = `Nothing was sent: the service ignores an invalid filter silently. A valid value: ${dialect.example}`;
const rule = z.object({ a: z.string().min(1), list: z.array(z.string()).optional() }).strict();
const check = (input: unknown) => createDialectError(z.array(rule).safeParse(input).error!, input, dialect);

test.each<[unknown, string]>([
  ['x', 'Rules must be a list, not "x"'],
  [undefined, 'Rules is missing'],
  ['', 'Rules is empty'],
  [[5], 'Rules: [0] must be an object, not 5'],
  [[{}], 'Rules: [0].a is missing'],
  [[{ a: '' }], 'Rules: [0].a is empty'],
  [[{ a: 'x' }, { a: 5 }], 'Rules: [1].a must be text, not 5'],
  [[{ a: 'x', list: 'y' }], 'Rules: [0].list must be a list, not "y"'],
  [[{ a: 'x', list: ['y', null] }], 'Rules: [0].list[1] must be text, not null'],
  // The wrong key is the cause of the missing one, so it is reported.
  [[{ b: 'x' }], 'Rules: [0] has no key "b": use "a"'],
  [[{ a: 'x', colour: 'y' }], 'Rules: [0] has no key "colour"'],
  [[{ a: 'x', constructor: 'y' }], 'Rules: [0] has no key "constructor"'],
])('%j: %s', (input, message) => {
  expect(check(input)).toMatchObject({ message, remedy: REMEDY });
});

test.each([{ a: null }, { a: 'text' }, { a: 5 }, null, 'text'])('nothing is at a.length of %j', (input) => {
  const error = new z.ZodError([{ code: 'custom', path: ['a', 'length'], message: '' }]);
  expect(createDialectError(error, input, dialect).message).toBe('Rules: a.length is missing');
});

test('a value that is no text is not parsed', () => {
  const list = [1];
  expect(parseJsonInput(list, dialect)).toBe(list);
  expect(parseJsonInput('[1]', dialect)).toEqual([1]);
});

test('invalid JSON is shown with an example', () => {
  expect(() => parseJsonInput('{"a', dialect)).toThrow(
    expect.objectContaining({
      message: 'Rules is not valid JSON: "{\\"a"',
      remedy: expect.stringMatching(/JSON.*\. A valid value: \[\{"a": "x"\}\]$/) as string,
    }),
  );
});

test('only whole values are replaced by parameters, at any depth', () => {
  const now = new Date(0);
  expect(fillPlaceholders({ a: '$1', b: ['$2', { c: 'no $1' }], $1: now, d: null }, ['one', 2])).toEqual({
    a: 'one',
    b: [2, { c: 'no $1' }],
    $1: now,
    d: null,
  });
});
