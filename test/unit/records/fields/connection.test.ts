import { getKind } from '../../../../nodes/records';
import { encodeValue } from '../../../../nodes/records/fields/recordValues';
import { catchTexts, createField, listColumns, listMatching } from './fieldTools';

const UTC = { timeZone: 'utc' };
const one = createField('Connection', { join: { join_type: 'N-to-1' } });
const many = createField('Connection', { join: { join_type: '1-to-N' } });
const ANY = 'A valid value: ["recordId1", "recordId2"], or "recordId1, recordId2".';

test.each([
  ['N-to-1', 'Label (name or ID)'],
  ['1-to-N', 'Label (names or IDs)'],
])('the column of a %s connection says what to type', (join_type, label) => {
  const field = createField('Connection', { join: { join_type } });
  expect(listColumns(field)).toEqual([{ key: 'f', label, type: 'string' }]);
});

test.each<[unknown, string]>([
  [NaN, 'NaN'],
  [Infinity, 'Infinity'],
  [[1, NaN], '[1,null]'],
  [['a', ''], '["a",""]'],
  [[{ id: ' ' }], '[{"id":" "}]'],
  [{ val: 'A' }, '{"val":"A"}'],
  [true, 'true'],
])('%p has no ID', (value, shown) => {
  expect(catchTexts(() => encodeValue(value, many, UTC))).toEqual([
    `"Label" cannot take ${shown}`,
    `Label (f) is of the type Connection. ${ANY}`,
  ]);
  expect(getKind(many).normalize(value, many)).toBeUndefined();
});

test('a connection to one record, and a filter, take one ID', () => {
  const expected = [
    '"Label" cannot take ["a","b"]',
    'Label (f) is of the type Connection. It connects to one record only. A valid value: "recordId1".',
  ];
  const { encodeOperand, encodeSearchText } = getKind(many);
  expect(catchTexts(() => encodeValue(['a', 'b'], one, UTC))).toEqual(expected);
  expect(catchTexts(() => encodeOperand(['a', 'b'], many, UTC))).toEqual(expected);
  expect(catchTexts(() => encodeSearchText(['a', 'b'], many, UTC))).toEqual(expected);
  expect(encodeOperand([{ id: 'a', val: 'A' }], many, UTC)).toBe('a');
  expect(encodeSearchText('', many, UTC)).toBe('');
});

test.each<[unknown, string, string[]]>([
  [['a', 'b'], 'b', ['is', 'contains', 'is not blank']],
  [['ab'], 'b', ['is not', 'is not blank']],
  [[], 'b', ['is not', 'is blank']],
  [undefined, 'b', ['is not', 'is not blank']],
])('%j is compared with the ID %s', (value, val, names) => {
  expect(listMatching(getKind(many).operators, value, val)).toEqual(names);
});

test('connections have display values', () => {
  expect(getKind(many)).toMatchObject({ hasDisplayValues: true });
});

describe('a user', () => {
  const user = createField('User');
  const REMEDY = /takes the ID of a user.* have it under "f_id".*give \{"id": "/;

  test.each(['Alex', 'Alex Ash', 'alex@example.com', 'Alexandria', 'Alex2', 'McDonald', 'Company123'])(
    'is neither written nor compared by name: %j',
    (name) => {
      const refuse = [
        () => encodeValue(name, user, UTC),
        () => encodeValue(['K7pQ2xW9Lm', name], user, UTC),
        () => getKind(user).encodeOperand(name, user, UTC),
        () => getKind(user).encodeSearchText(name, user, UTC),
      ];
      for (const [message, description] of refuse.map(catchTexts)) {
        expect(message).toBe(`"Label" cannot take "${name}"`);
        expect(description).toMatch(REMEDY);
      }
    },
  );

  // The IDs of some users have letters alone.
  test.each<[unknown, string]>([
    ['qweRdZvjkm', 'qweRdZvjkm'],
    [{ id: 'qwertzuiop' }, 'qwertzuiop'],
    [{ id: 'alex' }, 'alex'],
    ['', ''],
  ])('is given by ID: %j', (value, id) => {
    expect(encodeValue(value, user, UTC)).toEqual([['f', id]]);
    expect(getKind(user).encodeOperand(value, user, UTC)).toBe(id);
  });
});
