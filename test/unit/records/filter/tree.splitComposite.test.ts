import { Table } from '../../../../nodes/records';
import { buildFilter } from '../../../../nodes/records/filter/buildFilter';
import { splitCompositeCondition } from '../../../../nodes/records/filter/tree';
import { parseField } from '../fields/fieldTools';

const table = new Table(
  't',
  ['Name', 'Address', 'Text'].map((type) => parseField({ slug: type.toLowerCase(), name: type, type })),
);
const split = (field: string, operator: string, value: unknown) =>
  splitCompositeCondition(operator, value, table.findRef(field)!);

const ADA = { first_name: 'Ada', last: 'Byron' };

// A name differs from another if any of its parts differs.
test.each<[string, string]>([
  ['is', 'all'],
  ['is exact', 'all'],
  ['is not', 'any'],
  ['is not exact', 'any'],
])('a name that %s another in %s its parts', (operator, match) => {
  const tree = {
    match,
    conditions: [
      { field: 'name[first_name]', operator, value: 'Ada' },
      { field: 'name[last_name]', operator, value: 'Byron' },
    ],
    groups: [],
  };
  expect(split('name', operator, ADA)).toEqual(tree);
  expect(split('name', operator, JSON.stringify(ADA))).toEqual(tree);
});

test.each<[string, string, unknown]>([
  ['name', 'is', 'Ada Byron'],
  ['name', 'is', {}],
  ['name', 'is', '{}'],
  ['name', 'is', ['Ada', 'Byron']],
  ['name', 'is', null],
  ['name', 'is', 5],
  ['name', 'contains', ADA],
  ['name', 'is blank', ADA],
  ['name-first', 'is', ADA],
  ['text', 'is', ADA],
])('%s %s %j is one comparison', (field, operator, value) => {
  expect(split(field, operator, value)).toBeUndefined();
});

test('the service gets a condition for each part', () => {
  const condition = { field: 'Address', operator: '=', value: { City: 'Leeds', zip: 'LS1' } };
  const context = { timeZone: 'UTC', now: new Date(0), hasUserLogin: false };
  expect(buildFilter({ match: 'all', conditions: [condition], groups: [] }, table, context)).toEqual({
    condition: 'AND',
    items: [],
    child: [
      {
        condition: 'AND',
        items: [
          { field_id: 'address-city', operator: 'is', val: 'Leeds' },
          { field_id: 'address-zip', operator: 'is', val: 'LS1' },
        ],
        child: [],
      },
    ],
  });
});

test('a part that the field lacks is an error', () => {
  expect(() => split('name', 'is', { nick: 'A' })).toThrow(
    expect.objectContaining({
      description: expect.stringContaining('only title, first_name, middle_name, last_name.') as string,
    }),
  );
});
