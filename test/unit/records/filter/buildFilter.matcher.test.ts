import fc from 'fast-check';
import { type FilterTree, Table } from '../../../../nodes/records';
import { buildFilter, buildMatcher } from '../../../../nodes/records/filter/buildFilter';
import { listOperators } from '../../../../nodes/records/filter/tree';
import { createSeed, scaleRuns } from '../../../randomness';
import { type Service, startService } from '../../../service';
import { presentRecord } from '../../../service/data/present';
import { parseField } from '../fields/fieldTools';

const NOW = new Date('2025-06-14T12:34:56Z');

/**
 * The embedded service is the oracle: the records that it lists for a filter must match the same filter in the
 * matcher, each in the shape of a delivery.
 */
let service: Service;
let headers: Record<string, string>;
beforeAll(async () => {
  service = await startService({ perMinute: 1e6, perDay: 1e6, clock: { now: () => NOW.getTime() } as never });
  const { appId, appKey, appSecret } = service.keys;
  headers = {
    'X-Service-App-id': appId,
    'X-Service-App-Key': appKey,
    'X-Service-App-Secret': appSecret,
    'content-type': 'application/json',
  };
});
afterAll(() => service.stop());

async function fetchTable(name: string): Promise<Table> {
  const { id } = service.getTable(name);
  const answer = await fetch(`${service.baseUrl}/api/v1/data-tables/${id}/full-fields-info`, { headers });
  const { fields } = (await answer.json()) as { fields: unknown[] };
  return new Table(
    id,
    fields.map((field) => parseField(field)),
  );
}

async function fetchMatchingIds(table: Table, filters: object): Promise<string[]> {
  const answer = await fetch(`${service.baseUrl}/api/v1/data-tables/${table.id}/records`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ filters, page: 1, limit: 200 }),
  });
  const { items } = (await answer.json()) as { items: Array<{ id: string }> };
  return items.map(({ id }) => id).sort();
}

/** Records in the shape of a delivery. */
const listDelivered = (name: string) => {
  const { app } = service as unknown as { app: never };
  const table = service.getTable(name);
  return [...table.records.values()].map((record) =>
    presentRecord(record, table, app, { place: 'delivery' }),
  );
};

/** Every operator that can be evaluated, for every field and part, with existing and missing values. */
function createConditions(table: Table, name: string) {
  const records = [...service.getTable(name).records.values()];
  const getSamples = (slug: string): unknown[] =>
    records.map((record) => record[slug]).filter((one) => one !== null && one !== '');
  return table.fields.flatMap((field) => {
    const texts = ['name', 'address'].includes(field.kind)
      ? getSamples(field.slug).flatMap((one) => Object.values(one as object) as unknown[])
      : getSamples(field.slug).flatMap((one) =>
          field.kind === 'calendar' ? [(one as { start: unknown }).start] : [one].flat(),
        );
    const values = [...new Set(texts)].filter((one) => one !== '' && one !== null && one !== undefined);
    const parts = { name: ['title', 'first', 'middle', 'last'], address: ['address', 'city', 'zip'] }[
      field.kind as string
    ];
    return [field.slug, ...(parts ?? []).map((part) => `${field.slug}-${part}`)].flatMap((slug) =>
      listOperators(slug === field.slug ? field.kind : 'text', { hasUserLogin: false })
        .filter(({ matches, operand }) => matches && (operand === 'none' || operand === 'one'))
        .map(({ name: operator, operand }) => ({ field: slug, operator, operand, values })),
    );
  });
}

test.each([
  ['Showcase', 300],
  ['Customers', 150],
] as const)('%s: %i random filters pass what the service lists', async (name, trees) => {
  const table = await fetchTable(name);
  const records = listDelivered(name).slice(0, 200);
  const conditions = createConditions(table, name);
  const condition = fc.constantFrom(...conditions).chain(({ values, operand, ...rest }) =>
    operand === 'none' || values.length === 0
      ? fc.constant(operand === 'none' ? rest : { field: 'created_at', operator: 'is not blank' })
      : fc.constantFrom(...values).map((value) => {
          const isPart = /with|contain/.test(rest.operator) && typeof value === 'string' && value.length > 4;
          const isLink = /connection|user|account_owner/.test(rest.field);
          return { ...rest, value: isPart && !isLink ? value.slice(1, 4) : value };
        }),
  );
  const tree: fc.Arbitrary<FilterTree> = fc.record({
    match: fc.constantFrom('all' as const, 'any' as const),
    conditions: fc.array(condition, { minLength: 1, maxLength: 3 }),
    groups: fc.array(
      fc.record({
        match: fc.constantFrom('all' as const, 'any' as const),
        conditions: fc.array(condition, { maxLength: 3 }),
        groups: fc.constant([]),
      }),
      { maxLength: 2 },
    ),
  });
  const moment = { timeZone: 'UTC', now: NOW };
  const seed = createSeed();
  const numRuns = Math.max(25, scaleRuns(trees));
  let some = 0;
  await fc.assert(
    fc.asyncProperty(tree, async (one) => {
      const filter = buildFilter(one, table, { ...moment, hasUserLogin: false });
      const matchesFilter = buildMatcher(filter, table, moment);
      const expected = new Set(await fetchMatchingIds(table, filter));
      const all = records.map(({ id }) => String(id));
      const found = records.filter(matchesFilter).map(({ id }) => String(id));
      if (found.length > 0 && found.length < all.length) some++;
      const shown = [...expected].filter((id) => all.includes(id)).sort();
      // A page has at most 200 records, so only the first page of a longer list is compared.
      const compared = expected.size < 200 ? found : found.filter((id) => expected.has(id));
      expect(compared.sort()).toEqual(shown);
    }),
    { numRuns, seed },
  );
  // A filter that matches all or no records tests little. More than a quarter of the filters match some records, so
  // that none of 60 does so once in a hundred million runs.
  expect(some).toBeGreaterThan(0);
  expect(service.violations).toEqual([]);
});

describe('single values', () => {
  const fields = [
    ['box', 'Decision Box'],
    ['when', 'Date-Time'],
    ['amount', 'Number'],
    ['label', 'Text'],
    ['tags', 'Multi-select'],
    ['who', 'Connection'],
    ['me', 'User'],
    ['full', 'Name'],
    ['clock', 'Time'],
  ].map(([slug, type]) => parseField({ slug, type }));
  const table = new Table('t', fields);
  const passes = (record: object, field: string, operator: string, value?: unknown, timeZone = 'UTC') => {
    const moment = { timeZone, now: NOW };
    const one = { match: 'all' as const, conditions: [{ field, operator, value }], groups: [] };
    return buildMatcher(
      buildFilter(one, table, { ...moment, hasUserLogin: true }),
      table,
      moment,
    )(record as never);
  };

  test.each<[object, string, string, unknown, boolean]>([
    [{ box: '1' }, 'box', 'is checked', undefined, true],
    [{ box: true }, 'box', 'is checked', undefined, true],
    [{ box: 'Yes' }, 'box', 'is checked', undefined, true],
    [{ box: 0 }, 'box', 'is checked', undefined, false],
    [{}, 'box', 'is unchecked', undefined, true],
    [{ amount: '12.50' }, 'amount', 'is', 12.5, true],
    [{ amount: 0 }, 'amount', 'is blank', undefined, false],
    [{ amount: 0 }, 'amount', 'lower than', 1, true],
    [{ amount: null }, 'amount', 'lower than', 1, false],
    [{}, 'amount', 'is not', 1, true],
    [{ amount: 5 }, 'amount', 'between', { from: 5, to: 6 }, true],
    [{ amount: 7 }, 'amount', 'between', { from: 5, to: 6 }, false],
    [{ amount: 7 }, 'amount', 'is any of', '1, 7', true],
    [{ when: '2025-06-14T10:00:00Z' }, 'when', 'is', '2025-06-14 10:00:00', true],
    [{ when: '2025-06-14 12:34:55' }, 'when', 'is before current time', undefined, true],
    [{ when: '2025-06-14 12:34:56' }, 'when', 'is before current time', undefined, false],
    [{ when: '2025-06-14 12:34:56' }, 'when', 'is within', { period: 'today' }, true],
    [{ when: '2025-06-13 23:59:59' }, 'when', 'is within', { period: 'today' }, false],
    [{ when: null }, 'when', 'is before', '2030-01-01', false],
    [{ clock: '12:34:57' }, 'clock', 'is after current time', undefined, true],
    [{ label: 'Ab' }, 'label', 'is', 'aB', true],
    [{ label: 'Ab' }, 'label', 'is exact', 'aB', false],
    [{}, 'label', 'is blank', undefined, true],
    [{}, 'label', 'does not contain', 'x', true],
    [{ tags: [] }, 'tags', 'is not', 'a', true],
    [{ tags: ['b', 'a'] }, 'tags', 'is', 'a', true],
    [{ tags: [] }, 'tags', 'is blank', undefined, true],
    [{ who: 'r1' }, 'who', 'is', 'r1', true],
    [{ who: [{ id: 'r1', val: 'One' }] }, 'who', 'is', 'r1', true],
    [{ who: [] }, 'who', 'is not blank', undefined, false],
    [{ full: { first_name: 'Ada', last_name: 'Byron' } }, 'full', 'is', 'ada byron', true],
    [{ full: { first_name: 'Ada' } }, 'full-first', 'starts with', 'A', true],
    [{ full: 'Ada Byron' }, 'full', 'contains', 'byr', true],
  ])('%j: %s %s %j is %p', (record, field, operator, value, expected) => {
    expect(passes(record, field, operator, value)).toBe(expected);
  });

  test("today is the day in the workflow's time zone", () => {
    const record = { when: '2025-06-14 01:00:00' };
    const late = new Date('2025-06-14T03:00:00Z');
    const matchesInZone = (timeZone: string) => {
      const moment = { timeZone, now: late };
      const filter = {
        condition: 'AND' as const,
        items: [{ field_id: 'when', operator: 'is after today' }],
        child: [],
      };
      return buildMatcher(filter, table, moment)(record);
    };
    expect([matchesInZone('America/New_York'), matchesInZone('UTC')]).toEqual([true, false]);
  });

  test.each(['is logged in user', 'is connected with current record'])(
    'only the service can evaluate %s',
    (operator) => {
      expect(() => passes({}, 'me', operator)).toThrow('cannot be checked here');
    },
  );

  test('a filter without a condition matches every record', () => {
    const empty = {
      condition: 'OR' as const,
      items: [],
      child: [{ condition: 'AND' as const, items: [], child: [] }],
    };
    expect(buildMatcher(empty, table, { timeZone: 'UTC', now: NOW })({})).toBe(true);
  });
});
