import fc from 'fast-check';
import { DateTime } from 'luxon';
import { type FilterTree } from '../../../../nodes/records';
import { buildFilter } from '../../../../nodes/records/filter/buildFilter';
import { type Condition } from '../../../../nodes/records/filter/tree';
import { expectEqual } from '../../../expectEqual';
import { createSeed, scaleRuns } from '../../../randomness';
import { compilePrimary } from '../../../service/filter/compile';
import { createShowcase } from '../../service/showcase';

/**
 * Compares random filter trees, evaluated by the embedded service, with an oracle that evaluates the trees by the
 * meaning of their operators and does not use the notation of the service.
 */
const NOW = new Date('2025-06-15T12:00:00Z');
const context = { timeZone: 'UTC', now: NOW, hasUserLogin: false };
const seed = createSeed();
const { app, stored, access, reports, table } = createShowcase();

const WORDS = ['alpha', 'Alpha', 'beta', 'alphabet', 'be', ''];
const NUMBERS = [-5, 0, 1.5, 10, 100, null];
const DAYS = ['2025-06-01', '2025-06-14', '2025-06-15', '2025-06-16', '2026-01-01', null];
const products = [...app.tables.find(({ name }) => name === 'Products')!.records.keys()].slice(0, 4);

for (const { id } of [...stored.records.values()]) stored.delete(id);
const pick = <T>(list: readonly T[], seed: number): T => list[seed % list.length]!;
for (let i = 0; i < 160; i++) {
  stored.insert({
    text: pick(WORDS, i),
    number: pick(NUMBERS, i * 7 + 1),
    date: pick(DAYS, i * 5 + 2),
    decision_box: Math.floor(i / 3) % 2,
    select: pick(['a', 'b', 'c', ''], i * 3),
    name: { first_name: pick(WORDS, Math.floor(i / 7)), last_name: 'x' },
    connection_many: products.filter((_, n) => (i >> n) % 2 === 1),
  });
}
const records = [...stored.records.values()];

interface Case {
  condition: Condition;
  holds(record: Record<string, unknown>): boolean;
}

const word = fc.constantFrom(...WORDS.filter((one) => one !== ''), 'nothing');
const toLowerText = (value: unknown) => String(value ?? '').toLowerCase();

const createTextCase = (
  field: string,
  read: (record: Record<string, unknown>) => unknown,
): fc.Arbitrary<Case> =>
  fc
    .tuple(
      word,
      fc.constantFrom<[string, (text: string, val: string) => boolean]>(
        ['is', (text, val) => toLowerText(text) === toLowerText(val)],
        ['is exact', (text, val) => text === val],
        ['is not', (text, val) => toLowerText(text) !== toLowerText(val)],
        ['is not exact', (text, val) => text !== val],
        ['contains', (text, val) => toLowerText(text).includes(toLowerText(val))],
        ['does not contain', (text, val) => !toLowerText(text).includes(toLowerText(val))],
        ['starts with', (text, val) => toLowerText(text).startsWith(toLowerText(val))],
        ['ends with', (text, val) => toLowerText(text).endsWith(toLowerText(val))],
        ['is blank', (text) => text === ''],
        ['is not blank', (text) => text !== ''],
        ['is any of', (text, val) => [toLowerText(val), 'beta'].includes(toLowerText(text))],
      ),
    )
    .map(([val, [operator, test]]) => ({
      condition: { field, operator, value: operator === 'is any of' ? `${val}, beta` : val },
      holds: (record) => test(String(read(record) ?? ''), val),
    }));

const number = fc.constantFrom(-5, 0, 1, 1.5, 10, 99);
const numberCase: fc.Arbitrary<Case> = fc
  .tuple(
    number,
    number,
    fc.constantFrom<[string, (n: number | null, val: number, to: number) => boolean]>(
      ['is', (n, val) => n === val],
      ['is not', (n, val) => n !== val],
      ['higher than', (n, val) => n !== null && n > val],
      ['higher than or equal to', (n, val) => n !== null && n >= val],
      ['lower than', (n, val) => n !== null && n < val],
      ['lower than or equal to', (n, val) => n !== null && n <= val],
      ['is blank', (n) => n === null],
      ['is not blank', (n) => n !== null],
      ['between', (n, from, to) => n !== null && n >= from && n <= to],
      ['is any of', (n, val, other) => n === val || n === other],
    ),
  )
  .map(([val, to, [operator, test]]) => ({
    condition: {
      field: 'number',
      operator,
      value:
        operator === 'between'
          ? { from: Math.min(val, to), to: Math.max(val, to) }
          : operator === 'is any of'
            ? [val, to]
            : val,
    },
    holds: (record) =>
      operator === 'between'
        ? test(record.number as number | null, Math.min(val, to), Math.max(val, to))
        : test(record.number as number | null, val, to),
  }));

const day = fc.constantFrom(...(DAYS.filter(Boolean) as string[]), '2025-06-10');
const shiftDay = (days: number) => DateTime.fromJSDate(NOW, { zone: 'utc' }).plus({ days }).toISODate()!;
const dateCase: fc.Arbitrary<Case> = fc
  .tuple(
    day,
    day,
    fc.integer({ min: 1, max: 20 }),
    fc.constantFrom<[string, (d: string, val: string, to: string, days: number) => boolean]>(
      ['is', (d, val) => d === val],
      ['is before', (d, val) => d < val],
      ['is on or before', (d, val) => d <= val],
      ['is after', (d, val) => d > val],
      ['is on or after', (d, val) => d >= val],
      ['between', (d, val, to) => d >= val && d <= to],
      ['last', (d, _val, _to, days) => d > shiftDay(-days) && d <= shiftDay(0)],
      ['next', (d, _val, _to, days) => d >= shiftDay(0) && d < shiftDay(days)],
      ['today', (d) => d === shiftDay(0)],
      ['yesterday', (d) => d === shiftDay(-1)],
      ['is not blank', () => true],
    ),
  )
  .map(([one, other, amount, [operator, test]]) => {
    const [val, to] = operator === 'between' ? ([one, other].sort() as [string, string]) : [one, other];
    const isPeriod = ['last', 'next', 'today', 'yesterday'].includes(operator);
    const value = isPeriod
      ? { period: operator, amount, unit: 'day' }
      : operator === 'between'
        ? { from: val, to }
        : val;
    return {
      condition: { field: 'date', operator: isPeriod ? 'is within' : operator, value },
      holds: (record) => record.date !== null && test(String(record.date), val, to, amount),
    };
  });

const checkboxCase: fc.Arbitrary<Case> = fc.boolean().map((on) => ({
  condition: { field: 'decision_box', operator: on ? 'is checked' : 'is unchecked' },
  holds: (record) => record.decision_box === (on ? 1 : 0),
}));

const choiceCase: fc.Arbitrary<Case> = fc
  .tuple(fc.constantFrom('a', 'b', 'c'), fc.boolean(), fc.boolean())
  .map(([letter, byLabel, negated]) => ({
    condition: {
      field: 'select',
      operator: negated ? 'is not' : 'is',
      value: byLabel ? `Letter ${letter.toUpperCase()}` : letter,
    },
    holds: (record) => (record.select === letter) !== negated,
  }));

const connectionCase: fc.Arbitrary<Case> = fc
  .tuple(fc.constantFrom(...products), fc.constantFrom('is', 'is not', 'is blank', 'is not blank'))
  .map(([id, operator]) => ({
    condition: { field: 'connection_many', operator, value: id },
    holds: (record) => {
      const ids = record.connection_many as string[];
      if (operator.endsWith('blank')) return (ids.length === 0) === (operator === 'is blank');
      return ids.includes(id) === (operator === 'is');
    },
  }));

const leaf = fc.oneof(
  createTextCase('text', (record) => record.text),
  createTextCase('name-first', (record) => (record.name as Record<string, unknown>).first_name),
  numberCase,
  dateCase,
  checkboxCase,
  choiceCase,
  connectionCase,
);

interface Tree {
  match: 'all' | 'any';
  leaves: Case[];
  groups: Tree[];
}

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.record({
    match: fc.constantFrom<'all' | 'any'>('all', 'any'),
    leaves: fc.array(leaf, { minLength: 1, maxLength: 3 }),
    groups: fc.oneof(
      { depthSize: 'small' },
      fc.constant<Tree[]>([]),
      fc.array(tie('tree'), { maxLength: 2 }),
    ),
  }),
}));

const asFilter = ({ match, leaves, groups }: Tree): FilterTree => ({
  match,
  conditions: leaves.map(({ condition }) => condition),
  groups: groups.map(asFilter),
});

function matchesTree({ match, leaves, groups }: Tree, record: Record<string, unknown>): boolean {
  const parts = [
    ...leaves.map(({ holds }) => holds(record)),
    ...groups.map((group) => matchesTree(group, record)),
  ];
  return match === 'all' ? parts.every(Boolean) : parts.some(Boolean);
}

test('10,000 random trees find the same records as the oracle', () => {
  let [some, none] = [0, 0];
  fc.assert(
    fc.property(tree, (random) => {
      reports.length = 0;
      const filter = buildFilter(asFilter(random), table, context);
      const test = compilePrimary(JSON.parse(JSON.stringify(filter)), { ...access, table: stored });
      const found = records.filter((record) => test!(record)).map(({ id }) => id);
      const meant = records.filter((record) => matchesTree(random, record)).map(({ id }) => id);
      expectEqual({ filter, found, reports: [...reports] }, { filter, found: meant, reports: [] });
      if (meant.length > 0) some++;
      else none++;
    }),
    { numRuns: scaleRuns(10_000), seed },
  );
  // Trees that match all or no records would make the test meaningless.
  expect(some).toBeGreaterThan(scaleRuns(2_000));
  expect(none).toBeGreaterThan(scaleRuns(500));
});

test('an unknown field anywhere in a tree is an error of the whole filter', () => {
  fc.assert(
    fc.property(tree, fc.constantFrom('txt', 'Texts', 'name-nick', 'field_x', ''), (random, name) => {
      const filter = asFilter(random);
      const findDeepest = (one: FilterTree): FilterTree => (one.groups[0] ? findDeepest(one.groups[0]) : one);
      findDeepest(filter).conditions.push({ field: name, operator: 'is', value: 'x' });
      expect(() => buildFilter(filter, table, context)).toThrow(/no field/);
    }),
    { numRuns: scaleRuns(500), seed },
  );
});
