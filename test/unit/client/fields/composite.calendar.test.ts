import { getKind } from '../../../../nodes/client/fields/kinds';
import { encodeValue } from '../../../../nodes/client/fields/recordValues';
import { catchTexts, createField, listMatching } from './fieldTools';

const field = createField('Calendar');
const { read, operators, encodeOperand } = getKind(field);
const UTC = { timeZone: 'utc' };

test.each<[unknown, unknown]>([
  [
    { start: '2025-03-01', end: '2025-03-31T10:00:00Z' },
    { start: '2025-03-01', end: '2025-03-31' },
  ],
  [{ f__start: '2025-03-01' }, { start: '2025-03-01' }],
  ['{"end": ""}', { end: null }],
  ['2025-03-01T00:00:00Z', '2025-03-01'],
  ['', null],
  [null, null],
  ['soon', undefined],
  [{ start: 'soon' }, undefined],
])('%j is read as %j', (value, expected) => {
  expect(read(value, field)).toEqual(expected);
});

const EQUAL = ['is', 'is on or before', 'is on or after', 'is before today', 'is before current time'];

test.each<[unknown, string[]]>([
  [{ start: '2025-03-01', end: '2025-03-31' }, [...EQUAL, 'is not blank']],
  ['2025-03-01', [...EQUAL, 'is not blank']],
  [{ start: null, end: '2025-03-01' }, ['is not', 'is blank']],
  [{ end: '2025-03-01' }, ['is not', 'is blank']],
  [null, ['is not', 'is blank']],
])('%j is compared by its start', (value, names) => {
  expect(listMatching(operators, value, '2025-03-01')).toEqual(names);
});

test('a range is sent in two parts, and compared with a day', () => {
  const tokyo = { timeZone: 'Asia/Tokyo' };
  expect(encodeValue({ start: '2025-03-01T20:00:00Z', End: '' }, field, tokyo)).toEqual([
    ['f__start', '2025-03-02'],
    ['f__end', null],
  ]);
  expect(encodeOperand('2025-03-01T20:00:00Z', field, tokyo)).toBe('2025-03-02');
});

const VALID = 'A valid value: {"start": "2025-03-01", "end": "2025-03-31"}.';

test.each<[unknown, string]>([
  ['2025-03-01', `Label (f) is of the type Calendar. ${VALID}`],
  [{ from: 1 }, `Label (f) is of the type Calendar. It has no part "from", only start, end. ${VALID}`],
])('%j is no range', (value, remedy) => {
  expect(catchTexts(() => encodeValue(value, field, UTC))).toEqual([
    `"Label" cannot take ${JSON.stringify(value)}`,
    remedy,
  ]);
});

test('only the start can be filtered', () => {
  expect(getKind(field).parts!.map(({ formatFilterId }) => formatFilterId('f'))).toEqual(['f', undefined]);
});
