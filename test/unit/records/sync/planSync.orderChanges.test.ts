import { type PayloadEntries, Table } from '../../../../nodes/records';
import { orderChanges } from '../../../../nodes/records/sync/planSync';
import { type ServiceRecord } from '../../../../nodes/service';
import { parseField } from '../fields/fieldTools';

const table = new Table(
  't1',
  [
    ['mail', 'Email', 'Yes'],
    ['number', 'Number', 'Yes'],
    ['note', 'Text', 'No'],
  ].map(([slug, type, is_unique]) => parseField({ slug, name: slug, type, is_unique })),
);

/** Orders one create for each of `creates`, and updates of the records. */
function order(creates: PayloadEntries[], updates: Array<[ServiceRecord, PayloadEntries]>) {
  const plan = {
    creates: creates.map((entries, index) => ({ index, key: String(index), entries })),
    updates: updates.map(([record, entries], n) => ({ index: creates.length + n, record, entries })),
    deletes: [],
  };
  const records = updates.map(([record]) => record);
  const { writes, stuck } = orderChanges(plan, records, table);
  return { rounds: writes.map(({ length }) => length), stuck };
}

test('a value that a record keeps is not freed by an update of another column', () => {
  const record = { id: 'r1', mail: 'p@x.org', note: 'old' };
  expect(() => order([[['mail', 'p@x.org']]], [[record, [['note', 'new']]]])).toThrow(
    'Item 0 has a value of a unique field that record r1 keeps, "mail": "p@x.org"',
  );
});

test('an update that repeats the value of its record waits for no other change', () => {
  const record = { id: 'r1', mail: 'p@x.org' };
  expect(order([], [[record, [['mail', 'p@x.org']]]])).toEqual({ rounds: [1], stuck: [] });
});

test('values that cannot be read are not compared', () => {
  const entries: PayloadEntries = [['number', 'n/a']];
  expect(order([entries, entries], [])).toEqual({ rounds: [2], stuck: [] });
});
