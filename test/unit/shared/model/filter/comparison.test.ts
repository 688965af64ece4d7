import { findComparison } from '../../../../../nodes/shared/model/filter/comparison';

const findOperator = (word: string) => findComparison(word)?.operators[0];

test.each([
  ['=', 'is'],
  ['==', 'is'],
  ['$eq', 'is'],
  ['Equals', 'is'],
  ['is equal to', 'is'],
  ['!=', 'is not'],
  ['<>', 'is not'],
  ["isn't", 'is not'],
  ['$ne', 'is not'],
  ['>', 'higher than'],
  ['_gt', 'higher than'],
  ['is after', 'higher than'],
  ['>=', 'higher than or equal to'],
  ['at least', 'higher than or equal to'],
  ['not before', 'higher than or equal to'],
  ['<', 'lower than'],
  ['$lt', 'lower than'],
  ['<=', 'lower than or equal to'],
  ['not after', 'lower than or equal to'],
  ['includes', 'contains'],
  ['not_contains', 'does not contain'],
  ['startsWith', 'starts with'],
  ['suffix', 'ends with'],
  ['IS NULL', 'is blank'],
  ['isEmpty', 'is blank'],
  ['exists', 'is not blank'],
  ['not null', 'is not blank'],
  ['is true', 'is checked'],
  ['is not checked', 'is unchecked'],
])('%s means %s', (word, operator) => expect(findOperator(word)).toBe(operator));

test('a symbol is found with spaces around it', () =>
  expect(findOperator('  >= ')).toBe('higher than or equal to'));

test('lists and ranges have the words of other systems', () => {
  expect(findComparison('$in')).toBe(findComparison('one of'));
  expect(findComparison('range')).toBe(findComparison('is between'));
  expect(findComparison('in')).not.toBe(findComparison('between'));
});

/** A field has one of the operators of a comparison, so all of them can be meant. */
test.each<[string, { operators: string[]; symbol?: string; negated?: string }]>([
  ['equals', { operators: ['is'], symbol: '=' }],
  ['not equal', { operators: ['is not'], symbol: '!=' }],
  ['gt', { operators: ['higher than', 'is after'], symbol: '>' }],
  ['gte', { operators: ['higher than or equal to', 'is on or after'], symbol: '>=' }],
  ['lt', { operators: ['lower than', 'is before'], symbol: '<' }],
  ['lte', { operators: ['lower than or equal to', 'is on or before'], symbol: '<=' }],
  ['has', { operators: ['contains'], symbol: 'contains' }],
  ['excludes', { operators: ['does not contain'] }],
  ['prefix', { operators: ['starts with'], symbol: 'startswith' }],
  ['suffix', { operators: ['ends with'] }],
  ['is missing', { operators: ['is blank'], symbol: 'is_blank', negated: 'is not blank' }],
  ['is set', { operators: ['is not blank'], symbol: 'not_blank', negated: 'is blank' }],
  ['one of', { operators: ['is any of'] }],
  ['range', { operators: ['between'] }],
  ['yes', { operators: ['is checked'], negated: 'is unchecked' }],
  ['no', { operators: ['is unchecked'], negated: 'is checked' }],
])('%s is the same comparison as its operators and its symbol', (word, expected) => {
  const { words, ...comparison } = findComparison(word)!;
  expect(comparison).toEqual(expected);
  for (const name of [...expected.operators, expected.symbol ?? word])
    expect(findComparison(name)).toMatchObject({ words });
});

test('a comparison with the value false means its opposite', () => {
  expect(findComparison('exists')?.negated).toBe('is blank');
  expect(findComparison('is empty')?.negated).toBe('is not blank');
  expect(findComparison('equals')?.negated).toBeUndefined();
});

test.each(['', '   ', 'near', '~', '=!', '><'])('%j means nothing', (word) =>
  expect(findComparison(word)).toBeUndefined(),
);
