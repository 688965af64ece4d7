import { toField } from '../../../../../nodes/shared/model/fields';
import { FieldNames } from '../../../../../nodes/shared/model/records/fieldNames';
import { Table } from '../../../../../nodes/shared/model/records/table';
import { fullFieldSchema } from '../../../../../nodes/shared/model/responses/tables';

const createNames = (...fields: Array<[slug: string, name: string, type: string]>) =>
  new FieldNames(
    new Table(
      't1',
      fields.map(([slug, name, type]) => toField(fullFieldSchema.parse({ slug, name, type }))),
    ),
  );

/** The slug of the field, and the name of its part in payloads. */
const find = (names: FieldNames, name: string) => {
  const { field, part } = names.find(name) ?? {};
  return [field?.slug, ...(part ? [part.payload] : [])].join(' ');
};

let names: FieldNames;
beforeEach(() => {
  names = createNames(
    ['credit_limit', 'Credit Limit', 'Number'],
    ['who', 'Contact', 'Name'],
    ['where', 'Place', 'Address'],
    ['notes', 'Größe', 'Text'],
    // The key of this name is empty.
    ['价', '--', 'Text'],
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
])('%s is the field %s', (name, found) => expect(find(names, name)).toBe(found));

test.each([
  ['Contact: First', 'who first_name'],
  ['who first_name', 'who first_name'],
  ['who-first', 'who first_name'],
  ['First Contact', 'who first_name'],
  ['who: last name', 'who last_name'],
  ['Contact Last', 'who last_name'],
  ['Place: ZIP', 'where zip'],
  ['first name', 'who first_name'],
  ['Place City', 'where city'],
  ['city', 'where city'],
])('%s is the part %s', (name, found) => expect(find(names, name)).toBe(found));

test.each(['', '  ', '--', 'limit', 'Contact Fax'])('%j is no name', (name) =>
  expect(names.find(name)).toBeUndefined(),
);

test('a field counts more than a part of another field', () => {
  const both = createNames(['where', 'Place', 'Address'], ['city', 'Town', 'Text']);
  expect(find(both, 'city')).toBe('city');
  expect(find(both, 'place city')).toBe('where city');
});

test('a name of two fields refers to none of them, and to no part', () => {
  const two = createNames(['a', 'City', 'Text'], ['b', 'city', 'Text'], ['where', 'Place', 'Address']);
  expect(two.find('City')).toBeUndefined();
  expect(find(two, 'a')).toBe('a');
});

test('a part that two fields have needs the name of its field', () => {
  const two = createNames(['home', 'Home', 'Address'], ['work', 'Work', 'Address']);
  expect(two.find('city')).toBeUndefined();
  expect(find(two, 'work city')).toBe('work city');
});

test('a name that three fields have is not found either', () => {
  const three = createNames(['a', 'X', 'Text'], ['b', 'X', 'Text'], ['c', 'X', 'Text']);
  expect(three.find('x')).toBeUndefined();
});
