import {
  anyOfOperator,
  betweenOperator,
  blankOperators,
  createOperator,
  createInverseOperators,
  createTextOperators,
  isEmptyValue,
  numberOperators,
  withinOperator,
  userOperators,
} from '../../../../nodes/records/fields/operators';
import { listMatching } from './fieldTools';

const textOperators = createTextOperators((value) => value as string[]);

test.each<[string[], string, string[]]>([
  [['Ada Byron'], 'Ada Byron', ['is', 'is exact', 'contains', 'starts with', 'ends with']],
  [['Ada Byron'], 'ADA BYRON', ['is', 'is not exact', 'contains', 'starts with', 'ends with']],
  [['Ada Byron'], 'ada', ['is not', 'is not exact', 'contains', 'starts with']],
  [['Ada Byron'], 'BYRON', ['is not', 'is not exact', 'contains', 'ends with']],
  [['Ada Byron'], 'a b', ['is not', 'is not exact', 'contains']],
  [['Ada Byron'], 'Eve', ['is not', 'is not exact', 'does not contain']],
  [['Ada', 'Eve'], 'Eve', ['is', 'is exact', 'contains', 'starts with', 'ends with']],
  [['Ada', 'Eve'], 'da', ['is not', 'is not exact', 'contains', 'ends with']],
])('texts %j compared with "%s"', (value, val, names) => {
  expect(listMatching(textOperators, value, val)).toEqual([...names, 'is not blank']);
});

test('the operators of texts need one value, or none for blanks', () => {
  expect(textOperators.map(({ name, operand }) => [name, operand])).toEqual([
    ['is', 'one'],
    ['is exact', 'one'],
    ['is not', 'one'],
    ['is not exact', 'one'],
    ['contains', 'one'],
    ['does not contain', 'one'],
    ['starts with', 'one'],
    ['ends with', 'one'],
    ['is blank', 'none'],
    ['is not blank', 'none'],
  ]);
});

test.each<[unknown, string, string[]]>([
  [5, '5', ['is', 'higher than or equal to', 'lower than or equal to', 'is not blank']],
  [5, '5.0', ['is', 'higher than or equal to', 'lower than or equal to', 'is not blank']],
  [10, '9', ['is not', 'higher than', 'higher than or equal to', 'is not blank']],
  [-1, '0', ['is not', 'lower than', 'lower than or equal to', 'is not blank']],
  [0, '1', ['is not', 'lower than', 'lower than or equal to', 'is not blank']],
  [null, '0', ['is not', 'is blank']],
  [undefined, '0', ['is not', 'is not blank']],
])('the number %p compared with %s', (value, val, names) => {
  expect(listMatching(numberOperators, value, val)).toEqual(names);
});

test.each<[unknown, boolean]>([
  [null, true],
  ['', true],
  [[], true],
  [{}, true],
  [{ first_name: '', last_name: null }, true],
  [{ first_name: '', last_name: 'Byron' }, false],
  [{ start: 0 }, false],
  [['a'], false],
  [' ', false],
  [0, false],
  [false, false],
  [undefined, false],
  [new Date(0), false],
  [new Date(NaN), false],
])('%j is empty: %p', (value, empty) => {
  expect(isEmptyValue(value)).toBe(empty);
  expect(listMatching(blankOperators, value)).toEqual([empty ? 'is blank' : 'is not blank']);
});

test('an operator without a function is left to the service', () => {
  expect(createOperator('is near', 'two')).toStrictEqual({ name: 'is near', operand: 'two' });
});

test('a pair is an operator and its inverse', () => {
  const isLong = (value: unknown) => String(value).length > 3;
  const pair = createInverseOperators('none', 'is long', 'is short', isLong);
  expect(pair).toEqual([
    { name: 'is long', operand: 'none', matches: isLong, inverse: 'is short' },
    { name: 'is short', operand: 'none', matches: expect.any(Function) as unknown, inverse: 'is long' },
  ]);
  expect(listMatching(pair, 'four')).toEqual(['is long']);
  expect(listMatching(pair, 'one')).toEqual(['is short']);
});

test('the operators of this package and of users are not evaluated here', () => {
  expect([betweenOperator, anyOfOperator, withinOperator]).toStrictEqual([
    { name: 'between', operand: 'two' },
    { name: 'is any of', operand: 'list' },
    { name: 'is within', operand: 'relative' },
  ]);
  expect(userOperators).toStrictEqual(
    [
      ['is logged in user', 'is not logged in user'],
      ['is not logged in user', 'is logged in user'],
      ['is connected to logged in user', 'is not connected to logged in user'],
      ['is not connected to logged in user', 'is connected to logged in user'],
    ].map(([name, inverse]) => ({ name, operand: 'none', inverse, needsUser: true })),
  );
});
