import { itemOf, keepColumns, withDisplayNames } from '../../../nodes/RecordDatabaseTrigger/output';
import { isSameRecord } from '../../../nodes/RecordDatabaseTrigger/readBack';
import { fieldFrom } from '../../../nodes/shared/model/fields';
import { fullFieldSchema } from '../../../nodes/shared/model/responses';

describe('the output', () => {
  const field = (slug: string, name: string, type = 'Text') =>
    fieldFrom(fullFieldSchema.parse({ slug, name, type }));
  const fields = [
    field('who', 'Who', 'Connection'),
    field('name', 'Full Name', 'Name'),
    field('term', 'Term', 'Calendar'),
    field('name_val', 'Odd'),
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

  test('chosen fields bring along what belongs to them, and the id', () => {
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

  test('a slug that another begins with takes nothing of it', () => {
    const plain = [field('name', 'Name'), field('created_at', 'Made At')];
    const other = { id: 'r', 'name[title]': 1, name__start: 2, name_tag: 3, created_at: 'c' };
    expect(keepColumns(other, ['name'], plain)).toEqual({ id: 'r' });
    expect(withDisplayNames(other, plain)).toEqual(other);
    const composite = [field('name', 'Name', 'Name')];
    expect(keepColumns(other, ['name'], composite)).toEqual({ id: 'r', 'name[title]': 1, name__start: 2 });
    expect(keepColumns({ name: 'whole' }, ['name'], composite)).toEqual({ name: 'whole' });
  });

  test('display names', () => {
    expect(withDisplayNames(record, fields)).toEqual({
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

  test('both shapes say what was not checked', () => {
    const change = {
      event: 'INSERT',
      tableId: 't',
      tableName: 'T',
      recordId: 'r',
      record: {},
      timestamp: 's',
    } as const;
    expect(itemOf(change, { id: 'r' }, 'record', [])).toEqual({ id: 'r' });
    expect(itemOf(change, { id: 'r' }, 'record', ['token'])).toEqual({ id: 'r', _notChecked: ['token'] });
    expect(itemOf(change, { id: 'r' }, 'event', ['token'])).toEqual({
      event: 'INSERT',
      tableId: 't',
      tableName: 'T',
      record: { id: 'r' },
      timestamp: 's',
      _notChecked: ['token'],
    });
  });
});

test('created_at in any spelling', () => {
  const at = (created_at: unknown) => ({ created_at });
  expect(isSameRecord(at('2025-01-01 10:00:00'), at('2025-01-01T10:00:00.000Z'))).toBe(true);
  expect(isSameRecord(at('2025-01-01 10:00:00'), at('2025-01-01 10:00:01'))).toBe(false);
  const moment = at('2025-01-01 10:00:00');
  expect([isSameRecord({}, moment), isSameRecord(moment, {}), isSameRecord({}, {})]).toEqual([
    true,
    true,
    true,
  ]);
});
