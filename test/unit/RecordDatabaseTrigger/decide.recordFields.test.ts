import { toField } from '../../../nodes/client/fields/kinds';
import { keepColumns } from '../../../nodes/client/fields/recordValues';
import { Table } from '../../../nodes/client/fields/table';
import { withDisplayNames } from '../../../nodes/client/records/displayNames';
import { fullFieldSchema } from '../../../nodes/client/responses/schemas';
import {
  addMissingFields,
  buildOutputItem,
  hasField,
  mayBeSameRecord,
} from '../../../nodes/RecordDatabaseTrigger/decide';

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
    } as const;
    const item = buildOutputItem(change, { id: 'r' }, 'record', { notChecked: [] });
    expect(Object.entries(item)).toEqual([
      ['_event', 'INSERT'],
      ['_table', 'T'],
      ['id', 'r'],
    ]);
    const unnamed = { ...change, tableName: '' };
    expect(buildOutputItem(unnamed, { id: 'r' }, 'record', { notChecked: ['token'] })).toEqual({
      _event: 'INSERT',
      _table: 't',
      id: 'r',
      _notChecked: ['token'],
    });
    expect(
      buildOutputItem(change, { id: 'r' }, 'event', { notChecked: ['token'], changedFields: null }),
    ).toEqual({
      event: 'INSERT',
      tableId: 't',
      tableName: 'T',
      record: { id: 'r' },
      timestamp: 's',
      _changedFields: null,
      _notChecked: ['token'],
    });
  });
});

describe('created_at as a timestamp', () => {
  test.each([
    ['2025-01-01 10:00:00', '2025-01-01T10:00:00.000Z', true],
    ['2025-01-01 10:00:00', '2025-01-01 10:00:01', false],
    ['2025-01-01T10:00:00Z', '2025-01-01T12:00:00+02:00', true],
    ['2025-01-01T10:00:00Z', '2025-01-01T12:00:00+0200', true],
    ['2025-01-01T10:00:00Z', '2025-01-01T12:00:00Z', false],
    ['2025-01-01T10:00:00.400Z', '2025-01-01T10:00:00Z', true],
    // Text without a time zone is not a known point in time.
    ['2025-01-01 12:00:00', '2025-01-01T10:00:00Z', true],
    ['2025-01-01 15:45:00', '2025-01-01 10:00:00', true],
    ['2025-01-01 10:07:00', '2025-01-01T10:00:00Z', false],
    ['2025-01-02 10:00:00', '2025-01-01 10:00:00', false],
    [1735725600, '2025-01-01T10:00:00Z', true],
    ['1735725600000', '2025-01-01T10:00:00Z', true],
    [1735725601, '2025-01-01T10:00:00Z', false],
    ['yesterday', '2025-01-01T10:00:00Z', true],
    [undefined, '2025-01-01T10:00:00Z', true],
    ['2025-01-01 10:00:00', null, true],
  ])('%p and %p: %p', (delivered, read, isSame) =>
    expect(mayBeSameRecord({ created_at: delivered }, { created_at: read })).toBe(isSame),
  );
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

describe('created_at of the delivery and of the record', () => {
  const SECONDS = 1_735_725_600; // 2025-01-01T10:00:00Z

  test.each<[unknown, unknown, boolean]>([
    [SECONDS, '2025-01-01T10:00:00Z', true],
    [SECONDS * 1000, '2025-01-01T10:00:00Z', true],
    [` ${SECONDS} `, '2025-01-01T10:00:00Z', true],
    [String(SECONDS * 1000), '2025-01-01T10:00:00Z', true],
    [SECONDS, '2025-01-01T11:00:00Z', false],
    [String(SECONDS), '2025-01-01T11:00:00Z', false],
    [` 2025-01-01T10:00:00Z `, '2025-01-01T11:00:00+00:00', false],
    ['2025-01-01T12:00:00+02:00', '2025-01-01T10:00:00Z', true],
    ['2025-01-01T12:00:00+0200', '2025-01-01T10:00:00z', true],
    ['2025-01-01T05:15:00-04:45', '2025-01-01T11:00:00Z', false],
    ['2025-01-01T12:00:00+0200', '2025-01-01T11:00:00Z', false],
    // Without a time zone, the difference may be an offset: at most 14 hours, a multiple of 15 minutes.
    ['2025-01-01 10:00:00', '2025-01-01T12:45:00Z', true],
    ['2025-01-01 10:00:00', '2025-01-02T00:00:00Z', true],
    ['2025-01-01 10:00:00', '2025-01-02T00:15:00Z', false],
    ['2025-01-01 10:00:00', '2025-01-01T10:01:00Z', false],
    ['2025-01-01', '2025-01-01T02:00:00Z', true],
    [undefined, '2025-01-01T10:00:00Z', true],
    [null, '2025-01-01T10:00:00Z', true],
    ['soon', '2025-01-01T10:00:00Z', true],
    ['2025-01-01T10:00:00Z', {}, true],
    ['12345678', '2025-01-01T10:00:00Z', true],
  ])('%p and %p can be of one record: %p', (delivered, read, expected) => {
    expect(mayBeSameRecord({ created_at: delivered }, { created_at: read })).toBe(expected);
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
