import fc from 'fast-check';
import { type PayloadEntries, Table } from '../../../../nodes/records';
import { MatchKey } from '../../../../nodes/records/reading/matchKey';
import { type SyncInput } from '../../../../nodes/records/sync/planSync';
import { type SyncPlan, planSync } from '../../../../nodes/records/sync/planSync';
import { type ServiceRecord } from '../../../../nodes/service';
import { expectEqual } from '../../../expectEqual';
import { createSeed, scaleRuns } from '../../../randomness';
import { parseField } from '../fields/fieldTools';

/** Random tables and inputs: after the plan the table equals the input, and a second plan is empty. */

const table = new Table(
  't1',
  [
    ['key', 'Text'],
    ['amount', 'Number'],
    ['label', 'Text'],
    ['tags', 'Multi-select'],
    ['own', 'Text'],
  ].map(([slug, type]) => parseField({ slug, name: slug, type })),
);

const key = fc.constantFrom('', 'a', 'A', 'b', 'c', 'd', 'e', 'constructor', '__proto__');
const amount = fc.constantFrom(0, 1, -2.5, null);
const label = fc.constantFrom('', '0', 'x', ' x');
const tags = fc.subarray(['r', 'g', 'b'], { minLength: 0 });

const row = fc.record({ key, amount, label, tags });
const refs = [{ table, field: table.requireField('key', 'Key') }];
const getKey = (record: ServiceRecord) =>
  record.key === '' ? undefined : new MatchKey(refs, [String(record.key)]);

const recordList = fc
  .uniqueArray(row, { selector: (one) => one.key || Math.random(), maxLength: 12 })
  .map((rows) => rows.map((one, index): ServiceRecord => ({ ...one, id: `r${index}`, own: `own ${index}` })));
const inputList = fc
  .uniqueArray(
    row.filter((one) => one.key !== ''),
    { selector: (one) => one.key, maxLength: 8 },
  )
  .map((rows) =>
    rows.map((one, index): SyncInput => ({
      index,
      key: new MatchKey(refs, [one.key]),
      entries: Object.entries(one) as PayloadEntries,
    })),
  );

const createPlan = (inputs: SyncInput[], records: ServiceRecord[], deletes: boolean) =>
  planSync({ table, inputs, records, deletable: deletes ? records : [], getKey, seesAll: true });

function applyPlan(
  records: ServiceRecord[],
  { creates, updates, deletes }: Omit<SyncPlan, 'matched'>,
): ServiceRecord[] {
  const byId = new Map(records.map((record) => [record.id, { ...record }]));
  for (const { record, entries } of updates) Object.assign(byId.get(record.id)!, Object.fromEntries(entries));
  for (const { id } of deletes) byId.delete(id);
  for (const { index, entries } of creates)
    byId.set(`n${index}`, { id: `n${index}`, ...Object.fromEntries(entries) });
  return [...byId.values()];
}

/** Lists are equal in any order. */
const toText = (value: unknown) => JSON.stringify(Array.isArray(value) ? [...value].sort() : value);

const toValues = ({ key, amount, label, tags }: Record<string, unknown>) =>
  JSON.stringify([key, amount, label, [...(tags as string[])].sort()]);

const seed = createSeed();
const expectForAll = (property: fc.IProperty<[SyncInput[], ServiceRecord[], boolean]>) =>
  fc.assert(property, { seed, numRuns: scaleRuns(20_000) });

test('after a sync the table has the values of the input, and a second plan is empty', () => {
  expectForAll(
    fc.property(inputList, recordList, fc.boolean(), (inputs, records, deletes) => {
      const after = applyPlan(records, createPlan(inputs, records, deletes));
      const keys = new Set(inputs.map((input) => String(input.key.values[0])));
      const wanted = inputs.map(({ entries }) => toValues(Object.fromEntries(entries))).sort();
      const named = after.filter((record) => keys.has(String(record.key)));
      expectEqual(named.map(toValues).sort(), wanted);
      // Without deletion, the other records are untouched.
      const others = records.filter((record) => !keys.has(String(record.key)));
      expectEqual(
        after.filter((record) => !named.includes(record)),
        deletes ? [] : others,
      );
      expect(createPlan(inputs, after, deletes)).toMatchObject({
        creates: [],
        updates: [],
        deletes: [],
      });
    }),
  );
});

test('a plan writes only columns that differ, and never a column that the input does not have', () => {
  expectForAll(
    fc.property(inputList, recordList, fc.boolean(), (inputs, records, deletes) => {
      const isNeeded = (record: ServiceRecord, [slug, value]: PayloadEntries[number]) =>
        ['amount', 'label', 'tags'].includes(slug) && toText(value) !== toText(record[slug]);
      const { updates } = createPlan(inputs, records, deletes);
      const needless = updates.filter(
        ({ record, entries }) => entries.length === 0 || !entries.every((entry) => isNeeded(record, entry)),
      );
      expectEqual(needless, []);
    }),
  );
});

test('a plan that was carried out in part is finished by the next one', () => {
  expectForAll(
    fc.property(inputList, recordList, fc.boolean(), (inputs, records, deletes) => {
      const { creates, updates } = createPlan(inputs, records, deletes);
      const half = <T>(list: T[]) => list.slice(0, Math.ceil(list.length / 2));
      const part = { creates: half(creates), updates: half(updates), deletes: [] };
      const between = applyPlan(records, part);
      const after = applyPlan(between, createPlan(inputs, between, deletes));
      const wanted = applyPlan(records, createPlan(inputs, records, deletes));
      expectEqual(after.map(toValues).sort(), wanted.map(toValues).sort());
    }),
  );
});

const input = (index: number, text: string): SyncInput => ({
  index,
  key: new MatchKey(refs, [text]),
  entries: [['key', text]],
});

test('equal keys in the input are an error that lists them', () => {
  const inputs = [input(0, 'a'), input(1, 'b'), input(2, 'a'), input(3, 'b'), input(4, 'a')];
  expect(() => createPlan(inputs, [], false)).toThrow(
    'Several items or records have the same values to match on: ["a"]: items 1, 3, 5; ["b"]: items 2, 4',
  );
});

test('equal keys in the table are an error that lists them, unless no item has them', () => {
  const records = ['a', 'a', 'b', 'b'].map((text, index) => ({ id: `r${index}`, key: text }));
  expect(() => createPlan([input(0, 'a')], records, true)).toThrow(
    'Several items or records have the same values to match on: ["a"]: items 1, records r0, r1',
  );
  expect(createPlan([input(0, 'c')], records, true).deletes).toHaveLength(4);
});

test.each([
  ['changed its key', [{ id: 'r1', key: 'a' }], [{ id: 'r1', key: 'z' }]],
  ['was created with the key of an item', [], [{ id: 'r1', key: 'a' }]],
])('a record that %s between the two readings is not deleted', (_, records, deletable) => {
  const plan = planSync({ table, inputs: [input(0, 'a')], records, deletable, getKey, seesAll: true });
  expect(plan.deletes).toEqual([]);
});
