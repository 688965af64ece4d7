import fc from 'fast-check';
import { formatFieldOption, parseFieldOption } from '../../../../nodes/n8n/filter/filterLists';
import { type Field, getKind, parseFilterJson, Table } from '../../../../nodes/records';
import { buildFilter, buildMatcher } from '../../../../nodes/records/filter/buildFilter';
import { InputError } from '../../../../nodes/service';
import { expectEqual } from '../../../expectEqual';
import { createSeed, scaleRuns } from '../../../randomness';
import { parseField } from '../fields/fieldTools';

/** Kind x operator x form, with slugs and names that could be confused with object keys, parts or separators. */

const NAMES = ['constructor', 'prototype', '__proto__', 'toString', 'page', 'a|b', 'a|text', 'x-first', 'y[city]', 'z__start', '😀', 'n'.repeat(10_000)]; // prettier-ignore
const VALUES: Record<string, unknown> = {
  Text: 'a', Email: 'a@b', Number: 5, 'Decision Box': true, Date: '2025-03-31', 'Date-Time': '2025-03-31 10:00:00',
  Time: '09:05:00', Calendar: '2025-03-31', Name: 'Ada', Address: 'Leeds', Select: 'r', 'Multi-select': 'r',
  Checkbox: 'r', Connection: 'r1', User: 'K7pQ2xW9Lm', File: 'filled', Files: 'filled', Image: 'blank', Password: 'filled', Link: 'https://a.example',
  Rating: 3, Signature: '7',
}; // prettier-ignore
const options = [{ label: 'constructor', value: 'r' }];
const createField = (slug: string, type: string): Field => parseField({ slug, name: 'Equal', type, options });
const context = { timeZone: 'Europe/Berlin', now: new Date('2025-06-15T12:00:00Z') };
const SYMBOLS = ['=', '!=', '>', '<', '>=', '<=', 'contains', 'startswith', 'is_blank', 'not_blank'];

const fieldCase = fc
  .record({ slug: fc.constantFrom(...NAMES), type: fc.constantFrom(...Object.keys(VALUES)) })
  .chain(({ slug, type }) => {
    const field = createField(slug, type);
    return fc.record({
      field: fc.constant(field),
      type: fc.constant(type),
      operator: fc.constantFrom(...getKind(field).operators),
      symbol: fc.constantFrom(...SYMBOLS),
      // The table also has fields whose parts look like the slugs above.
      others: fc.subarray([
        createField('x', 'Name'),
        createField('y', 'Address'),
        createField('z', 'Calendar'),
      ]),
    });
  });

const createOperand = (operand: string, value: unknown) =>
  operand === 'two'
    ? { from: value, to: value }
    : operand === 'relative'
      ? { period: 'last', amount: 7, unit: 'day' }
      : operand === 'list'
        ? [value]
        : value;

const expectForAll = (check: (one: typeof fieldCase extends fc.Arbitrary<infer T> ? T : never) => void) =>
  fc.assert(fc.property(fieldCase, check), { numRuns: scaleRuns(5_000), seed: createSeed() });

function isRefused(...args: Parameters<typeof buildFilter>): boolean {
  try {
    buildFilter(...args);
    return false;
  } catch (error) {
    return error instanceof InputError;
  }
}

test('the form and JSON build the same filter for every kind, operator and slug', () => {
  expectForAll(({ field, type, operator, others }) => {
    const table = new Table('t', [...others, field]);
    const value = operator.operand === 'none' ? undefined : createOperand(operator.operand, VALUES[type]);
    const condition = { field: field.slug, operator: operator.name, value };
    const tree = { match: 'all' as const, conditions: [condition], groups: [] };
    const json = JSON.stringify([{ field_id: field.slug, operator: operator.name, val: value }]);
    const acting = { ...context, hasUserLogin: true };
    const built = buildFilter(tree, table, acting);
    expectEqual(buildFilter(parseFilterJson(json), table, acting), built);
    const items = [...built.items, ...built.child.flatMap((group) => group.items)];
    expectEqual(items.length > 0 && items.every(({ field_id }) => field_id === field.slug), true);
    if (operator.needsUser) expectEqual(isRefused(tree, table, { ...context, hasUserLogin: false }), true);
    else if (operator.matches) expectEqual(typeof buildMatcher(built, table, context)({}), 'boolean');
  });
});

test('an expression that returns nothing is refused wherever an operator compares with a value', () => {
  expectForAll(({ field, operator, others }) => {
    if (operator.operand === 'none') return;
    const table = new Table('t', [...others, field]);
    for (const value of [undefined, null, '', ' \t\n', '\u00a0', [], [''], [null, ' '], {}, { id: '' }]) {
      const tree = {
        match: 'all' as const,
        conditions: [{ field: field.slug, operator: operator.name, value }],
        groups: [],
      };
      expectEqual(isRefused(tree, table, { ...context, hasUserLogin: true }), true);
    }
  });
});

test('a record without the field and a record with an empty one match alike', () => {
  expectForAll(({ field, type, operator, others }) => {
    if (!operator.matches) return;
    const table = new Table('t', [...others, field]);
    const condition = {
      field: field.slug,
      operator: operator.name,
      value: createOperand(operator.operand, VALUES[type]),
    };
    const filter = buildFilter({ match: 'all', conditions: [condition], groups: [] }, table, {
      ...context,
      hasUserLogin: true,
    });
    const matches = buildMatcher(filter, table, context);
    expectEqual(matches(Object.fromEntries([[field.slug, null]])), matches({}));
    const expected = ['is not', 'is not exact', 'does not contain', 'is blank', 'is unchecked'].includes(
      operator.name,
    );
    expectEqual(matches({}), expected);
  });
});

test('an option of the field list contains slug and kind', () => {
  expectForAll(({ field }) =>
    expect(parseFieldOption(formatFieldOption(field.slug, field.kind))).toEqual({
      id: field.slug,
      kind: field.kind,
    }),
  );
  expect(parseFieldOption('a|b')).toEqual({ id: 'a|b' });
});

test('only the service can compare a time of day with today', () => {
  const table = new Table('t', [createField('f', 'Time')]);
  const conditions = [{ field: 'f', operator: 'is before today' }];
  const filter = buildFilter({ match: 'all', conditions, groups: [] }, table, {
    ...context,
    hasUserLogin: false,
  });
  expect(filter.items).toEqual([{ field_id: 'f', operator: 'is before today' }]);
  expect(() => buildMatcher(filter, table, context)).toThrow('cannot be checked here');
});

test.each(['Connection', 'User', 'Signature'])('%s has the logged-in-user operators in JSON', (type) => {
  const table = new Table('t', [createField('f', type)]);
  const tree = parseFilterJson([{ field_id: 'f', operator: 'is logged in user' }]);
  expect(buildFilter(tree, table, { ...context, hasUserLogin: true }).items).toHaveLength(1);
  expect(() => buildFilter(tree, table, { ...context, hasUserLogin: false })).toThrow(
    'needs a logged-in user',
  );
});
