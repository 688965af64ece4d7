import { getKind } from '../../../../nodes/records';
import { joinParts, listPartKeys } from '../../../../nodes/records/fields/composite';
import { encodeValue } from '../../../../nodes/records/fields/recordValues';
import { catchTexts, createField, listMatching } from './fieldTools';

const UTC = { timeZone: 'utc' };
const name = createField('Name');
const { parts: nameParts = [], operators } = getKind(name);

test.each([
  'first_name',
  'first',
  'firstName',
  'First',
  'f[first_name]',
  'f__first_name',
  'f-first_name',
  'f[first]',
  'f__first',
  'f-first',
])('the key "%s" names the first name when it is written and read', (key) => {
  expect(encodeValue({ [key]: 'Ada' }, name, UTC)).toEqual([['f[first_name]', 'Ada']]);
  expect(getKind(name).normalize({ [key]: 'Ada' }, name)).toEqual({ first_name: 'Ada' });
});

test.each([
  ['address', 'f[address]'],
  ['Address 2', 'f[address2]'],
  ['zip', 'f[zip]'],
  ['ZIP', 'f[zip]'],
])('the key "%s" of an address is sent as %s', (key, sent) => {
  expect(encodeValue({ [key]: 5 }, createField('Address'), UTC)).toEqual([[sent, '5', 5]]);
});

test('a part has one set of keys for each of its names', () => {
  const [title, first] = nameParts;
  expect(listPartKeys(title!, 'f')).toEqual(['f[title]', 'f__title', 'f-title']);
  expect(listPartKeys(first!, 'f')).toEqual([
    'f[first_name]',
    'f__first_name',
    'f-first_name',
    'f[first]',
    'f__first',
    'f-first',
  ]);
});

test.each<[unknown, unknown]>([
  [
    { first: 'Ada', title: null },
    { first_name: 'Ada', title: '' },
  ],
  ['{"first": "Ada", "age": 36}', { first_name: 'Ada' }],
  ['Ada Byron', 'Ada Byron'],
  ['{Ada', '{Ada'],
  [null, ''],
  [5, '5'],
  [{}, {}],
  // Without a known part, and with a part that cannot be read, the whole value is unreadable.
  [{ given: 'Ada' }, undefined],
  [{ first: { a: 1 } }, undefined],
  [{ first: 'Ada', last: ['Byron'] }, undefined],
])('%j is read as %j', (value, read) => {
  expect(getKind(name).normalize(value, name)).toEqual(read);
});

test.each<[unknown, string]>([
  [{ last_name: 'Byron', title: 'Dr', first_name: 'Ada', middle_name: '' }, 'Dr Ada Byron'],
  [{ nick: 'A' }, ''],
  ['Ada Byron', 'Ada Byron'],
  [0, '0'],
  [null, ''],
  [undefined, ''],
])('%j is shown as "%s"', (value, line) => {
  expect(joinParts(value, nameParts)).toBe(line);
});

test('a name is compared as one line', () => {
  const value = { first_name: 'Ada', last_name: 'Byron' };
  const compared = ['is', 'is not exact', 'contains', 'starts with', 'ends with', 'is not blank'];
  expect(listMatching(operators, value, 'ada byron')).toEqual(compared);
  expect(listMatching(operators, { first_name: '' }, 'a')).toEqual([
    'is not',
    'is not exact',
    'does not contain',
    'is blank',
  ]);
});

const VALID = 'A valid value: {"first_name": "Ada", "last_name": "Byron"}.';

test.each<[value: unknown, remedy: string, refused?: unknown]>([
  ['Ada', VALID],
  [['Ada'], VALID],
  [{ first: ['Ada'] }, VALID, ['Ada']],
  [{ nick: 'A' }, `It has no part "nick", only title, first_name, middle_name, last_name. ${VALID}`],
])('a name refuses %j', (value, remedy, refused = value) => {
  expect(catchTexts(() => encodeValue(value, name, UTC))).toEqual([
    `"Label" cannot take ${JSON.stringify(refused)}`,
    `Label (f) is of the type Name. ${remedy}`,
  ]);
});

test('a part that is given twice is refused', () => {
  const [, remedy] = catchTexts(() => encodeValue({ first: 'Ada', first_name: 'Eve' }, name, UTC));
  expect(remedy).toMatch(/^[^.]*\. first_name is given twice/);
});

test('the whole of a name or address is filtered as text', () => {
  for (const field of [name, createField('Address')])
    expect(getKind(field).encodeOperand('Leeds', field, UTC)).toBe('Leeds');
});
