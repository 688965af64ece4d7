import { createItemConverter, keepColumns, Table } from '../../../../nodes/records';
import { findFieldByKey } from '../../../../nodes/records/fields/recordValues';
import { parseField } from '../fields/fieldTools';

const createTable = (...fields: Array<[slug: string, name: string, type: string]>) =>
  new Table(
    't',
    fields.map(([slug, name, type]) => parseField({ slug, fieldId: `f_${slug}`, name, type })),
  );
const table = createTable(
  ['label', 'Label', 'Text'],
  ['who', 'Who', 'Connection'],
  ['person', 'Person', 'Name'],
);
const record = {
  id: 'r',
  label: 'L',
  who: ['a'],
  who_val: [{ id: 'a', val: 'Ada' }],
  person: { first_name: 'A' },
  created_at: 'c',
};

test.each([
  ['label', 'label'],
  ['who_val', 'who'],
  ['label_val2', undefined],
  ['person[first_name]', undefined],
])('the key %s belongs to the field %s', (key, slug) => {
  expect(findFieldByKey(table.fields, key)?.slug).toBe(slug);
});

test('only chosen fields and the ID are kept, with their display values', () => {
  expect(keepColumns(record, ['person', 'who'], table.fields)).toEqual({
    id: 'r',
    who: ['a'],
    who_val: [{ id: 'a', val: 'Ada' }],
    person: { first_name: 'A' },
  });
  expect(keepColumns(record, ['unknown'], table.fields)).toEqual({ id: 'r' });
  expect(keepColumns({ other: 1, more: 2 }, ['other'], [])).toEqual({ other: 1 });
});

describe('names of fields as keys', () => {
  const twins = createTable(['a', 'Same', 'Text'], ['b', 'Same', 'Text'], ['c', 'Other', 'Text']);

  test('replace the slugs; created_at keeps its key', () => {
    expect(createItemConverter({ displayNames: true, simplified: false }, table)(record)).toEqual({
      id: 'r',
      Label: 'L',
      Who: ['a'],
      Who_val: [{ id: 'a', val: 'Ada' }],
      Person: { first_name: 'A' },
      created_at: 'c',
    });
  });

  test('contain the slug if two fields have the same name', () => {
    const shape = createItemConverter({ displayNames: true, simplified: false }, twins);
    expect(shape({ a: 1, b: 2, c: 3 })).toEqual({ 'Same [a]': 1, 'Same [b]': 2, Other: 3 });
  });

  test.each<[string[], boolean, Table | undefined, object]>([
    [[], false, twins, { id: 'r', a: 1, c: 3 }],
    [['c'], false, twins, { id: 'r', c: 3 }],
    [['c'], true, twins, { id: 'r', Other: 3 }],
    [[], true, twins, { id: 'r', 'Same [a]': 1, Other: 3 }],
    [['c'], true, undefined, { id: 'r', c: 3 }],
  ])('fields %p, names %p', (slugs, displayNames, of, expected) => {
    const shape = createItemConverter({ slugs, displayNames, simplified: true }, of);
    expect(shape({ id: 'r', a: 1, c: 3 })).toEqual(expected);
  });
});
