import { hasNoContent, parseJsonObject } from '../../../../nodes/records/fields/inputValues';

test.each([
  ['{"a": 1}', { a: 1 }],
  ['\n {"a": 1} ', { a: 1 }],
  ['{"a": 1', undefined],
  ['[1]', undefined],
  ['null', undefined],
  ['"{}"', undefined],
  ['Ada', undefined],
])('the JSON object in %j is %j', (text, expected) => expect(parseJsonObject(text)).toEqual(expected));

test.each([
  '',
  ' \u00A0\t\r\n',
  '\u200B\u200D\uFEFF',
  '\u00AD\0',
  null,
  undefined,
  Number.NaN,
  [],
  [[' '], null],
  {},
  { id: '' },
])('%j holds nothing to compare with', (value) => expect(hasNoContent(value)).toBe(true));

test.each([0, -0, false, 'x', '\u200Bx', '-', '👩\u200D🚀', [0], { id: 0 }, new Date(0)])(
  '%j holds something',
  (value) => expect(hasNoContent(value)).toBe(false),
);
