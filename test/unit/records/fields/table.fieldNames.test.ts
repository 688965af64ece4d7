import { Table } from '../../../../nodes/records';
import { catchTexts, parseField } from './fieldTools';

const createNames = (...fields: Array<[slug: string, name: string, type: string]>) =>
  new Table(
    't1',
    fields.map(([slug, name, type]) => parseField({ slug, name, type })),
  );

/** The slug of the field with the name, and the name of its part in payloads. */
function find(names: Table, name: string): string | undefined {
  const { field, part } = names.findRef(name) ?? {};
  return field && [field.slug, ...(part ? [part.payload] : [])].join(' ');
}

const REFUSED = /Give the slug of one of them: (.+)\.$/;

/** The slugs of the fields with the name, which is refused. */
const findSeveral = (names: Table, name: string) =>
  REFUSED.exec(catchTexts(() => names.findRef(name))[1])?.[1];

let names: Table;
beforeEach(() => {
  names = createNames(
    ['credit_limit', 'Credit Limit', 'Number'],
    ['who', 'Contact', 'Name'],
    ['where', 'Place', 'Address'],
    ['notes', 'Größe', 'Text'],
    ['价', '--', 'Text'],
    ['eur', 'Price €', 'Number'],
    ['usd', 'Price $', 'Number'],
    ['not_active', '!active', 'Text'],
  );
});

test.each([
  ['credit_limit', 'credit_limit'],
  ['creditLimit', 'credit_limit'],
  ['CREDIT-LIMIT', 'credit_limit'],
  ['größe', 'notes'],
  ['notes', 'notes'],
  ['Contact', 'who'],
  ['Created At', 'created_at'],
  ['--', '价'],
  ['Price €', 'eur'],
  ['price $', 'usd'],
  ['!Active', 'not_active'],
])('%s is the field %s', (name, found) => expect(find(names, name)).toBe(found));

test.each([
  ['Contact: First', 'who first_name'],
  ['who.first_name', 'who first_name'],
  ['who: last name', 'who last_name'],
  ['Place: ZIP', 'where zip'],
  ['place: city', 'where city'],
])('%s is the part %s', (name, found) => expect(find(names, name)).toBe(found));

test.each(['', '  ', '-', 'limit', 'Contact Fax', 'Price', 'Price £', 'active', 'credit_limit!'])(
  '%j is no name',
  (name) => expect(names.findRef(name)).toBeUndefined(),
);

// A table may have had such a field before it was renamed.
test.each(['city', 'State', 'first name', 'Place City', 'First Contact', 'who first_name', 'start'])(
  '%j is no part: a part is named with its field',
  (name) => expect(names.findRef(name)).toBeUndefined(),
);

test('a field counts more than a part of another field', () => {
  const both = createNames(['where', 'Place', 'Address'], ['city', 'Town', 'Text']);
  expect(find(both, 'city')).toBe('city');
  expect(find(both, 'place: city')).toBe('where city');
});

test('a name that two fields have in another case refers to both, and to no part', () => {
  const two = createNames(['a', 'City', 'Text'], ['b', 'city', 'Text'], ['where', 'Place', 'Address']);
  expect(find(two, 'City')).toBe('a');
  expect(find(two, 'city')).toBe('b');
  expect(findSeveral(two, 'CITY')).toBe('a, b');
  expect(find(two, 'a')).toBe('a');
});

test('a name that three fields have refers to all', () => {
  const three = createNames(['a', 'X', 'Text'], ['b', 'X', 'Text'], ['c', 'X', 'Text']);
  expect(findSeveral(three, 'x')).toBe('a, b, c');
});
