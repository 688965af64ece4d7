import fc from 'fast-check';
import { fieldFrom } from '../../../nodes/shared/model/fields';
import { buildFilter, operatorsOf, type FilterTree } from '../../../nodes/shared/model/filter';
import { buildMatcher, isEvaluable } from '../../../nodes/shared/model/filter/evaluate';
import { fullFieldListSchema } from '../../../nodes/shared/model/responses';
import { Table } from '../../../nodes/shared/model/table';
import { newSeed, runs } from '../../randomness';
import { startService, type Service } from '../../service';
import { present } from '../../service/data/present';

const NOW = new Date('2025-06-14T12:34:56Z');

/**
 * The embedded service is the oracle: what it lists for a filter is what must pass the same filter here,
 * record by record, in the shape of a delivery.
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

async function tableOf(name: string): Promise<Table> {
  const { id } = service.table(name);
  const answer = await fetch(`${service.baseUrl}/api/v1/data-tables/${id}/full-fields-info`, { headers });
  return new Table(id, fullFieldListSchema.parse(await answer.json()).fields.map(fieldFrom));
}

async function listed(table: Table, filters: object): Promise<string[]> {
  const answer = await fetch(`${service.baseUrl}/api/v1/data-tables/${table.id}/records`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ filters, page: 1, limit: 200 }),
  });
  const { items } = (await answer.json()) as { items: Array<{ id: string }> };
  return items.map(({ id }) => id).sort();
}

/** Records as a delivery carries them. */
const delivered = (name: string, compositeReads: 'object' | 'parts') => {
  const app = (service as unknown as { app: never }).app as { options: object };
  const view = Object.assign(Object.create(app) as object, { options: { ...app.options, compositeReads } });
  const table = service.table(name);
  return [...table.records.values()].map((record) => present(record, table, view as never, { vals: false }));
};

/** Every operator that can be evaluated, on every field and part, with a value that is really there or is not. */
function conditionsOn(table: Table, name: string) {
  const records = [...service.table(name).records.values()];
  const sample = (slug: string): unknown[] =>
    records.map((record) => record[slug]).filter((one) => one !== null && one !== '');
  return table.fields.flatMap((field) => {
    const texts = ['name', 'address'].includes(field.kind)
      ? sample(field.slug).flatMap((one) => Object.values(one as object) as unknown[])
      : sample(field.slug).flatMap((one) =>
          field.kind === 'calendar' ? [(one as { start: unknown }).start] : [one].flat(),
        );
    const values = [...new Set(texts)].filter((one) => one !== '' && one !== null && one !== undefined);
    const parts = { name: ['title', 'first', 'middle', 'last'], address: ['address', 'city', 'zip'] }[
      field.kind as string
    ];
    return [field.slug, ...(parts ?? []).map((part) => `${field.slug}-${part}`)].flatMap((slug) =>
      operatorsOf(slug === field.slug ? field.kind : 'text')
        .filter(
          ({ name: operator, operand }) => isEvaluable(operator) && (operand === 'none' || operand === 'one'),
        )
        // The service has no day to compare for a time, and knows the names behind links.
        .filter(({ name: operator }) => !(field.kind === 'time' && /today/.test(operator)))
        .map(({ name: operator, operand }) => ({ field: slug, operator, operand, values })),
    );
  });
}

test.each([
  ['Showcase', 'object', 300],
  ['Showcase', 'parts', 300],
  ['Customers', 'object', 150],
] as const)(
  '%s, composites as %s: %i random filters pass what the service lists',
  async (name, reads, trees) => {
    const table = await tableOf(name);
    const records = delivered(name, reads).slice(0, 200);
    const conditions = conditionsOn(table, name);
    const condition = fc.constantFrom(...conditions).chain(({ values, operand, ...rest }) =>
      operand === 'none' || values.length === 0
        ? fc.constant(operand === 'none' ? rest : { field: 'created_at', operator: 'is not blank' })
        : fc.constantFrom(...values).map((value) => {
            const isPart =
              /with|contain/.test(rest.operator) && typeof value === 'string' && value.length > 4;
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
    const seed = newSeed();
    // With fewer, chance decides whether any tells records apart.
    const numRuns = Math.max(30, runs(trees));
    let some = 0;
    await fc.assert(
      fc.asyncProperty(tree, async (one) => {
        const filter = buildFilter(one, table, { ...moment, userLogin: false });
        const passes = buildMatcher(filter, table, moment);
        const expected = new Set(await listed(table, filter));
        const all = records.map(({ id }) => String(id));
        const found = records.filter(passes).map(({ id }) => String(id));
        if (found.length > 0 && found.length < all.length) some++;
        const shown = [...expected].filter((id) => all.includes(id)).sort();
        // One page holds 200: of a longer list only what it shows can be compared.
        if (expected.size < 200) expect(found.sort()).toEqual(shown);
        else expect(found).toEqual(expect.arrayContaining(shown));
      }),
      { numRuns, seed },
    );
    // A filter that lets all or nothing through shows little. More than a quarter tell records apart; a tenth
    // is far enough below that no seed comes near it.
    expect(some).toBeGreaterThan(numRuns / 10);
    expect(service.violations).toEqual([]);
  },
);

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
  ].map(([slug, type]) =>
    fieldFrom({ ...fullFieldListSchema.parse({ fields: [{ slug, type }] }).fields[0]! }),
  );
  const table = new Table('t', fields);
  const passes = (record: object, field: string, operator: string, value?: unknown, timeZone = 'UTC') => {
    const moment = { timeZone, now: NOW };
    const one = { match: 'all' as const, conditions: [{ field, operator, value }], groups: [] };
    return buildMatcher(
      buildFilter(one, table, { ...moment, userLogin: true }),
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
    [{ 'full[first_name]': 'Ada', 'full[last_name]': 'Byron' }, 'full', 'is', 'ada byron', true],
    [{ 'full[first_name]': 'Ada' }, 'full-first', 'starts with', 'A', true],
    [{ full: 'Ada Byron' }, 'full', 'contains', 'byr', true],
  ])('%j: %s %s %j is %p', (record, field, operator, value, expected) => {
    expect(passes(record, field, operator, value)).toBe(expected);
  });

  test("today is the workflow's", () => {
    const record = { when: '2025-06-14 01:00:00' };
    const late = new Date('2025-06-14T03:00:00Z');
    const at = (timeZone: string) => {
      const moment = { timeZone, now: late };
      const filter = {
        condition: 'AND' as const,
        items: [{ field_id: 'when', operator: 'is after today' }],
        child: [],
      };
      return buildMatcher(filter, table, moment)(record);
    };
    expect([at('America/New_York'), at('UTC')]).toEqual([true, false]);
  });

  test.each(['is logged in user', 'is connected with current record'])(
    '%s can only be told by the service',
    (operator) => {
      expect(() => passes({}, 'me', operator)).toThrow('cannot be told from a delivered record');
    },
  );

  test('a filter without a condition lets everything through', () => {
    const empty = {
      condition: 'OR' as const,
      items: [],
      child: [{ condition: 'AND' as const, items: [], child: [] }],
    };
    expect(buildMatcher(empty, table, { timeZone: 'UTC', now: NOW })({})).toBe(true);
  });
});
