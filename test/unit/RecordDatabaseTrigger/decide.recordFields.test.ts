import { toField } from '../../../nodes/client/fields/kinds';
import { keepColumns } from '../../../nodes/client/fields/recordValues';
import { Table } from '../../../nodes/client/fields/table';
import { withDisplayNames } from '../../../nodes/client/records/displayNames';
import { fullFieldSchema } from '../../../nodes/client/responses/schemas';
import { addMissingFields, buildOutputItem, hasField } from '../../../nodes/RecordDatabaseTrigger/decide';

describe('the output', () => {
  const createField = (slug: string, name: string, type = 'Text') =>
    toField(fullFieldSchema.parse({ slug, name, type }));
  const fields = [
    createField('who', 'Who', 'Connection'),
    createField('name', 'Full Name', 'Name'),
    createField('term', 'Term', 'Calendar'),
    createField('name_val', 'Odd'),
  ];
  const record = {
    id: 'r',
    who: ['a'],
    who_val: [],
    'name[title]': 'Dr',
    term__start: 'x',
    name_val: 1,
    created_at: 'c',
    unknown: 2,
  };

  test('chosen fields include their parts and the id', () => {
    expect(keepColumns(record, ['who', 'name'], fields)).toEqual({
      id: 'r',
      who: ['a'],
      who_val: [],
      'name[title]': 'Dr',
    });
    expect(keepColumns(record, ['created_at', 'term'], fields)).toEqual({
      id: 'r',
      term__start: 'x',
      created_at: 'c',
    });
  });

  test('a chosen field does not include a field whose slug begins with its slug', () => {
    const plain = [createField('name', 'Name'), createField('created_at', 'Made At')];
    const other = { id: 'r', 'name[title]': 1, name__start: 2, name_tag: 3, created_at: 'c' };
    expect(keepColumns(other, ['name'], plain)).toEqual({ id: 'r' });
    expect(withDisplayNames(other, new Table('t', plain))).toEqual(other);
    const composite = [createField('name', 'Name', 'Name')];
    expect(keepColumns(other, ['name'], composite)).toEqual({ id: 'r', 'name[title]': 1 });
    expect(keepColumns({ name: 'whole' }, ['name'], composite)).toEqual({ name: 'whole' });
  });

  test('display names', () => {
    expect(withDisplayNames(record, new Table('t', fields))).toEqual({
      id: 'r',
      Who: ['a'],
      Who_val: [],
      'Full Name[title]': 'Dr',
      Term__start: 'x',
      Odd: 1,
      created_at: 'c',
      unknown: 2,
    });
  });

  test('both output shapes list the skipped checks', () => {
    const change = {
      event: 'INSERT',
      tableId: 't',
      tableName: 'T',
      recordId: 'r',
      record: {},
      timestamp: 's',
      receivedAt: 0,
    } as const;
    const item = buildOutputItem(change, { id: 'r' }, 'record', { notChecked: [] });
    expect(Object.entries(item)).toEqual([
      ['_event', 'INSERT'],
      ['_table', 'T'],
      ['id', 'r'],
    ]);
    const unnamed = { ...change, tableName: '' };
    expect(buildOutputItem(unnamed, { id: 'r' }, 'record', { notChecked: ['fields'] })).toEqual({
      _event: 'INSERT',
      _table: 't',
      id: 'r',
      _notChecked: ['fields'],
    });
    expect(
      buildOutputItem(change, { id: 'r' }, 'event', { notChecked: ['fields'], changedFields: null }),
    ).toEqual({
      event: 'INSERT',
      tableId: 't',
      tableName: 'T',
      record: { id: 'r' },
      timestamp: 's',
      _changedFields: null,
      _notChecked: ['fields'],
    });
  });
});

describe('fields that a delivery lacks', () => {
  const createField = (slug: string, type = 'Text') =>
    toField(fullFieldSchema.parse({ slug, name: slug, type }));
  const table = new Table('t', [
    createField('a'),
    createField('name', 'Name'),
    createField('who', 'Connection'),
  ]);
  const first = table.resolveFilterField('name-first', '');

  test('a part counts as delivered in either form of the spec', () => {
    expect(hasField({ 'name[first_name]': 'x' }, first)).toBe(true);
    expect(hasField({ name: { first_name: '' } }, first)).toBe(true);
    expect(hasField({ name: { last_name: 'x' } }, first)).toBe(false);
    expect(hasField({ 'name[last_name]': 'x' }, first)).toBe(false);
    expect(hasField({ 'name[first_name]': 'x' }, { table, field: first.field })).toBe(false);
    expect(hasField({ toString: 1 }, { table, field: createField('constructor') })).toBe(false);
  });

  test('are added from the record, and delivered fields stay as they are', () => {
    const read = {
      id: 'r',
      a: 'now',
      name: { first_name: 'B', last_name: 'C' },
      who: ['1'],
      who_val: [],
      x: 1,
    };
    expect(addMissingFields({ id: 'r', a: 'then', 'name[first_name]': 'A', y: 2 }, read, table)).toEqual({
      id: 'r',
      a: 'then',
      y: 2,
      name: { first_name: 'B', last_name: 'C' },
      who: ['1'],
      who_val: [],
      x: 1,
    });
  });
});

test.each<[object, boolean]>([
  [{ who: { first_name: 'A' } }, true],
  [{ 'who[title]': '', 'who[first_name]': 'A', 'who[middle_name]': '', 'who[last_name]': 'B' }, true],
  [{ 'who[first_name]': 'A' }, false],
  [{ plain: 1 }, false],
])('%p holds the field of type Name: %p', (record, expected) => {
  const field = toField(fullFieldSchema.parse({ slug: 'who', name: 'Who', type: 'Name' }));
  const table = new Table('t', [field]);
  expect(hasField(record as Record<string, unknown>, { table, field })).toBe(expected);
});
