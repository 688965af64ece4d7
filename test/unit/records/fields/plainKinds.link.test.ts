import { getKind } from '../../../../nodes/records';
import { encodeValue, areEqual } from '../../../../nodes/records/fields/recordValues';
import { createField, listMatching } from './fieldTools';

const UTC = { timeZone: 'utc' };
const link = createField('Link');
const SHOP = 'https://shop.example/a';

/** Evidence 9: a Link is read as `{link}`. */
test.each([SHOP, { link: SHOP }, JSON.stringify({ link: SHOP })])('the link of %j is text', (value) => {
  expect(encodeValue(value, link, UTC)).toEqual([['f', SHOP]]);
  expect(getKind(link).normalize(value, link)).toBe(SHOP);
  expect(areEqual(value, SHOP, link)).toBe(true);
  expect(listMatching(getKind(link).operators, getKind(link).normalize(value, link), 'shop')).toContain(
    'contains',
  );
});

test.each(['', null, { link: '' }, { link: null }])('%j is an empty link', (value) => {
  expect(encodeValue(value, link, UTC)).toEqual([['f', '']]);
  expect(getKind(link).normalize(value, link)).toBe('');
});

test('an object of another form is refused', () => {
  expect(() => encodeValue({ href: SHOP }, link, UTC)).toThrow('"Label" cannot take {"href"');
});

const password = createField('Password');

test('a password is written as text, and its mask is not', () => {
  expect(encodeValue('a*b', password, UTC)).toEqual([['f', 'a*b']]);
  const { isMasked, operators } = getKind(password);
  for (const mask of ['********', '••••'])
    expect(() => encodeValue(mask, password, UTC)).toThrow(`"Label" cannot take "${mask}"`);
  expect(encodeValue('*a', password, UTC)).toEqual([['f', '*a']]);
  expect(isMasked).toBe(true);
  expect(operators.map(({ name }) => name)).toEqual(['is', 'is blank', 'is not blank']);
});
