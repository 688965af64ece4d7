import { parseJson, parseLooseJson } from '../../../../nodes/service';

test.each([
  [' [1, "a"] ', [1, 'a']],
  ['null', null],
  ['{a: 1}', undefined],
  ['', undefined],
])('the JSON text %j is %j', (text, expected) => expect(parseJson(text)).toEqual(expected));

/** Language models write JSON in Markdown, and twice as text. */
test.each([
  ['{"a": 1}', { a: 1 }],
  ['```json\n{"a": 1}\n```', { a: 1 }],
  ['  ```\n\n  [1,\n 2]\n\n```  \n', [1, 2]],
  ['```{"a": 1}```', { a: 1 }],
  ['```JSON5 5 ```', 5],
  ['"{\\"a\\": 1}"', { a: 1 }],
  ['"[1]"', [1]],
  // Text within JSON that is not a list or an object stays text.
  ['"5"', '5'],
  ['"null"', 'null'],
  ['"Ada"', 'Ada'],
  ['["{\\"a\\": 1}"]', ['{"a": 1}']],
  ['null', null],
  ['```json\n{"a": 1}', undefined],
  ['Here it is: ```[1]```', undefined],
  ['```[1]``` is it', undefined],
  ['Ada', undefined],
])('%j is read as %j', (text, expected) => expect(parseLooseJson(text)).toEqual(expected));
