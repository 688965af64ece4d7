import { hasNoContent, parseObjectText } from '../../../../nodes/records/fields/inputValues';

test.each<[unknown, unknown]>([
  ['{"a": 1}', { a: 1 }],
  ['\n {"a": 1} ', { a: 1 }],
  ...['{"a": 1', '[1]', 'null', '"{}"', 'Ada', 5, null, [1]].map((value): [unknown, unknown] => [
    value,
    value,
  ]),
])('the JSON object in %j is %j', (value, expected) => expect(parseObjectText(value)).toEqual(expected));

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
