import { getKind } from '../../../../nodes/records';
import { encodeValue } from '../../../../nodes/records/fields/recordValues';
import { catchTexts, createField, listMatching } from './fieldTools';

const field = createField('Decision Box');
const { normalize, operators, encodeOperand } = getKind(field);
const UTC = { timeZone: 'utc' };

test.each([
  [[true, 1, '1', 'TRUE', ' Yes ', 'on', 'checked'], 1, 'is checked'],
  [[false, 0, '0', 'False', ' no ', 'Off', 'unchecked', '', ' ', null, undefined], 0, 'is unchecked'],
])('%j are read and compared as %i', (values, checked, name) => {
  expect(values.map((value) => normalize(value, field))).toEqual(values.map(() => checked));
  expect(values.map((value) => encodeOperand(value, field, UTC))).toEqual(values.map(() => checked));
  expect(listMatching(operators, checked)).toEqual([name]);
});

test.each(['maybe', 2, [true], {}])('%j is neither checked nor unchecked', (value) => {
  expect(normalize(value, field)).toBeUndefined();
  expect(catchTexts(() => encodeValue(value, field, UTC))).toEqual([
    `"Label" cannot take ${JSON.stringify(value)}`,
    'Label (f) is of the type Decision Box. A valid value: true.',
  ]);
});
