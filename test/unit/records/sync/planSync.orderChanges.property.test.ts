/* eslint-disable @n8n/community-nodes/require-node-api-error -- not shipped: the test throws what it does not expect */
import fc from 'fast-check';
import { type PayloadEntries, Table } from '../../../../nodes/records';
import { type SyncInput } from '../../../../nodes/records/sync/planSync';
import {
  type SyncOrder,
  type SyncPlan,
  type SyncWrite,
  orderChanges,
  planSync,
} from '../../../../nodes/records/sync/planSync';
import { type ServiceRecord } from '../../../../nodes/service';
import { expectEqual } from '../../../expectEqual';
import { createSeed, scaleRuns } from '../../../randomness';
import { parseField } from '../fields/fieldTools';

/** Random tables with two unique fields: an order of the changes never breaks them, and is found if there is one. */

const table = new Table(
  't1',
  [
    ['key', 'Text', 'No'],
    ['mail', 'Email', 'Yes'],
    ['number', 'Number', 'Yes'],
  ].map(([slug, type, is_unique]) => parseField({ slug, name: slug, type, is_unique })),
);

type Row = { key: string; mail: string; number: number | null };

const row = fc.record({
  key: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
  mail: fc.constantFrom('', 'p@x.org', 'q@x.org', 'r@x.org', 's@x.org', 't@x.org'),
  number: fc.constantFrom(null, 1, 2, 3, 4, 5, 6),
});
const rowList = fc.uniqueArray(row, { selector: ({ key }) => key, maxLength: 6 });
const UNIQUE = ['mail', 'number'] as const;
const isFree = (value: unknown) => value === '' || value === null;

/** Whether no two rows have the same value in a unique field. */
const isValid = (rows: Array<Record<string, unknown>>) =>
  UNIQUE.every((slug) => {
    const values = rows.map((one) => one[slug]).filter((value) => !isFree(value));
    return new Set(values).size === values.length;
  });

const recordList = rowList
  .filter(isValid)
  .map((rows) => rows.map((one, index): ServiceRecord => ({ ...one, id: `r${index}` })));
const toInput = (one: Row, index: number): SyncInput => ({
  index,
  key: one.key,
  entries: Object.entries(one) as PayloadEntries,
});

type Change = SyncWrite | { remove: ServiceRecord };

function makeChange(records: Map<string, ServiceRecord>, change: Change): Map<string, ServiceRecord> {
  const after = new Map(records);
  if ('remove' in change) after.delete(change.remove.id);
  else if ('create' in change) {
    const id = `n${change.create.index}`;
    after.set(id, { id, ...Object.fromEntries(change.create.entries) });
  } else {
    const { record, entries } = change.update;
    after.set(record.id, { ...after.get(record.id), id: record.id, ...Object.fromEntries(entries) });
  }
  return after;
}

/** Makes each change that the service would take, until none is left. @returns the changes that are stuck */
function makeAll(start: Map<string, ServiceRecord>, changes: Change[]): Change[] {
  let records = start;
  for (let left = changes; ;) {
    const next = left.find((change) => isValid([...makeChange(records, change).values()]));
    if (!next) return left;
    records = makeChange(records, next);
    left = left.filter((change) => change !== next);
  }
}

/** Undefined for a plan that is refused because of its unique column. */
function findOrder(plan: SyncPlan, records: ServiceRecord[]): SyncOrder | undefined {
  try {
    return orderChanges(plan, records, table);
  } catch (error) {
    if (/unique field/.test(String(error))) return undefined;
    throw error;
  }
}

const seed = createSeed();

test('changes in this order never break a unique field, and only what has no order is refused', () => {
  fc.assert(
    fc.property(rowList, recordList, fc.boolean(), fc.boolean(), (rows, records, deletes, reverses) => {
      const inputs = rows.map(toInput);
      const getKey = (record: ServiceRecord) => String(record.key);
      const deletable = deletes ? records : [];
      const plan = planSync({ table, inputs, records, deletable, getKey, seesAll: true });
      const start = new Map(records.map((record) => [record.id, record]));
      const all: Change[] = [
        ...plan.creates.map((create) => ({ create })),
        ...plan.updates.map((update) => ({ update })),
        ...plan.deletes.map((remove) => ({ remove })),
      ];
      const hasOrder = makeAll(start, all).length === 0;
      const order = findOrder(plan, records);
      // A refusal is right only if there is no order.
      expectEqual(order === undefined && hasOrder, false);
      if (!order) return;
      // The writes of a round are sent at the same time and may arrive in any order.
      const toChanges = (rounds: Change[][]) =>
        rounds.flatMap((round) => (reverses ? [...round].reverse() : round));
      const toDeletes = (list: ServiceRecord[]) => list.map((remove) => ({ remove }));
      const ordered: Change[] = [
        ...toChanges(order.writes),
        ...toDeletes(order.freeingDeletes),
        ...toChanges(order.writesAfterDeletes),
        ...toDeletes(order.otherDeletes),
      ];
      expectEqual(ordered.length + order.stuck.length, all.length);
      expectEqual(order.stuck.length > 0 && hasOrder, false);
      expectEqual(order.stuckReason !== undefined, order.stuck.length > 0);
      let current = start;
      for (const change of ordered) {
        current = makeChange(current, change);
        expectEqual(isValid([...current.values()]), true);
      }
      // Without the deletions that come first, the order would be wrong.
      for (const record of order.freeingDeletes)
        expect(
          makeAll(
            start,
            all.filter((change) => !('remove' in change && change.remove === record)),
          ),
        ).not.toEqual([]);
    }),
    { seed, numRuns: scaleRuns(20_000) },
  );
});
