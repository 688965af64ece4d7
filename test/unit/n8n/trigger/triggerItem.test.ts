import { createTriggerItemBuilder } from '../../../../nodes/n8n/trigger/triggerItem';

const change = { event: 'INSERT', tableId: 't', tableName: 'T', timestamp: 's' };

test('a record stands after its event, its table and the notes', () => {
  const create = createTriggerItemBuilder(
    { output: 'record', displayNames: false },
    { slugs: [], table: undefined },
  );
  expect(Object.entries(create(change, { id: 'r' }, {}))).toEqual([
    ['_event', 'INSERT'],
    ['_table', 'T'],
    ['id', 'r'],
  ]);
  const noted = create({ ...change, tableName: '' }, { id: 'r' }, { _notChecked: ['fields'], _eventId: 'e' });
  expect(Object.entries(noted)).toEqual([
    ['_event', 'INSERT'],
    ['_table', 't'],
    ['_notChecked', ['fields']],
    ['_eventId', 'e'],
    ['id', 'r'],
  ]);
});

test('an event holds its record, and the notes', () => {
  const create = createTriggerItemBuilder(
    { output: 'event', displayNames: false },
    { slugs: [], table: undefined },
  );
  expect(create(change, { id: 'r' }, { _changedFields: null, _notChecked: undefined })).toStrictEqual({
    event: 'INSERT',
    tableId: 't',
    tableName: 'T',
    record: { id: 'r' },
    timestamp: 's',
    _changedFields: null,
  });
});
