import { hashFieldValues } from '../../../../nodes/records';
import { parseField } from '../fields/fieldTools';

/** The triggers compare these hashes to decide whether a field has changed. */

const fields = [
  ['value', 'Text'],
  ['person', 'Name'],
].map(([slug, type]) => parseField({ slug, fieldId: `f_${slug}`, name: slug, type }));

const hashPerson = (record: object) =>
  hashFieldValues({ ...record }, ['person'], fields, { length: 8 }).get('person');
const hash = (value: unknown) => hashFieldValues({ value }, ['value'], fields, { length: 8 }).get('value');

test.each([
  [null, ''],
  [undefined, ''],
  [[], ''],
  [5, '5'],
  [false, 'false'],
  [
    { a: 1, b: { c: 2, d: 3 } },
    { b: { d: 3, c: 2 }, a: 1 },
  ],
])('%j is the same value as %j', (one, other) => {
  expect(hash(one)).toBe(hash(other));
});

test.each([
  [['a'], ''],
  [['a'], ['b']],
  [['a'], ['a', 'b']],
  [
    ['a', 'b'],
    ['b', 'a'],
  ],
  [{ a: 1 }, { a: 2 }],
  [{ a: 1 }, ''],
  [0, ''],
  ['a', 'A'],
])('%j is another value than %j', (one, other) => {
  expect(hash(one)).not.toBe(hash(other));
});

test('the parts of a field have one hash, whatever their order', () => {
  const [first, last] = [{ first_name: 'Ada' }, { last_name: 'Byron' }];
  const hashParts = (person: object) => hashPerson({ person });
  expect(hashParts({ ...first, ...last })).toBe(hashParts({ ...last, ...first }));
  expect(hashParts({ ...first, ...last })).not.toBe(hashParts(first));
});

test('a field that the record lacks has no hash, and the names of its records are not its value', () => {
  expect(hashFieldValues({ other: 1 }, ['value'], fields, { length: 8 }).size).toBe(0);
  expect(hashFieldValues({ value: 'a', value_val: 'b' }, ['value'], fields, { length: 8 }).get('value')).toBe(
    hash('a'),
  );
});

test('an empty field has a hash of its own, or none', () => {
  const record = { value: '', person: { first_name: '', last_name: null } };
  const find = (omitsEmpty: boolean) =>
    [...hashFieldValues(record, ['value', 'person'], fields, { length: 6, omitsEmpty })].map(
      ([slug]) => slug,
    );
  expect(find(false)).toEqual(['value', 'person']);
  expect(find(true)).toEqual([]);
});
