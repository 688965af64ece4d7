import { parseJsonObject } from '../../../../nodes/records/fields/inputValues';

test.each([
  ['{"a": 1}', { a: 1 }],
  ['\n {"a": 1} ', { a: 1 }],
  ['{"a": 1', undefined],
  ['[1]', undefined],
  ['null', undefined],
  ['"{}"', undefined],
  ['Ada', undefined],
])('the JSON object in %j is %j', (text, expected) => expect(parseJsonObject(text)).toEqual(expected));
