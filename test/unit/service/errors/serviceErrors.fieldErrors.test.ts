import { listErrorTexts, formatFieldErrors } from '../../../../nodes/service';

/** Spec: Errors, `errors`: each field with a list of messages. Other shapes must be readable too. */
test.each<[unknown, string[]]>([
  [
    ['This field is required', 'This field is unique'],
    ['This field is required', 'This field is unique'],
  ],
  ['This field is unique', ['This field is unique']],
  [{ city: ['is required'], zip: { 0: 'is wrong' } }, ['is required', 'is wrong']],
  [
    [[['deep']], { a: [7] }, false],
    ['deep', '7', 'false'],
  ],
  [[null, '', undefined, 'left'], ['left']],
  [null, []],
  [undefined, []],
  ['', []],
  [[], []],
  [{}, []],
])('the messages of one field in %j are %j', (errors, texts) => {
  expect(listErrorTexts(errors)).toEqual(texts);
});

test.each<[unknown, string]>([
  [
    { email: ['Email must be valid', 'This field is unique'], due: ['Invalid date format'] },
    'email: Email must be valid, This field is unique; due: Invalid date format',
  ],
  [
    { lines: [{ amount: 'is too high' }, { tax: 'is missing', amount: 'is no number' }] },
    'lines.amount: is too high, is no number; lines.tax: is missing',
  ],
  [{ address: { city: { name: ['is required'] } } }, 'address.city.name: is required'],
  [['No access', { email: 'is taken' }], 'No access; email: is taken'],
  [{ email: null, due: '', note: [] }, ''],
  [null, ''],
  [undefined, ''],
  ['Only an owner may do this', 'Only an owner may do this'],
])('the errors %j are shown as "%s"', (errors, text) => {
  expect(formatFieldErrors(errors)).toBe(text);
});
