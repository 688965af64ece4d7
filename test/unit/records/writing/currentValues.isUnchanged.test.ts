import { Table } from '../../../../nodes/records';
import { type PayloadValue } from '../../../../nodes/records/fields/field';
import { listChangedEntries } from '../../../../nodes/records/writing/currentValues';
import { parseField } from '../fields/fieldTools';

const isUnchanged = (...change: Parameters<typeof listChangedEntries>): boolean =>
  listChangedEntries(...change).length === 0;

const createTable = (type: string) => new Table('t1', [parseField({ slug: 'f', name: 'Label', type })]);

test.each<[string, unknown, PayloadValue, boolean]>([
  ['Text', 'Ada', 'Ada', true],
  ['Text', 'Ada', 'ada', false],
  ['Text', null, '', true],
  ['Text', undefined, '', false],
  ['Currency', '5.00', 5, true],
  ['Number', null, 0, false],
  ['Number', '$7', 7, false],
  ['Decision Box', 'Yes', 1, true],
  ['Decision Box', 0, 1, false],
  ['Multi-select', ['b', 'a'], ['a', 'b'], true],
  ['Multi-select', ['a'], ['a', 'b'], false],
  ['Multi-select', [], [], true],
  ['Connection', [{ id: 'r2' }, { id: 'r1' }], ['r1', 'r2'], true],
  ['File', [], [], false],
  ['Slider', [1, 2], '1, 2', false],
])('%s: %p holds %p already: %p', (type, held, wanted, expected) => {
  const record = { id: 'r1', ...(held !== undefined && { f: held }) };
  expect(isUnchanged(createTable(type), record, [['f', wanted]], true)).toBe(expected);
});

test.each<[Record<string, unknown>, string, boolean]>([
  [{ f: { first_name: 'Ada' } }, 'Ada', true],
  [{ f: { last_name: 'Byron' } }, '', true],
  [{ f: { last_name: 'Byron' } }, 'Ada', false],
  [{ f: 'Ada Byron' }, '', false],
  [{ f: null }, '', true],
  [{}, '', false],
])('the first name in %j is %p: %p', (shown, wanted, expected) => {
  const record = { id: 'r1', ...shown };
  expect(isUnchanged(createTable('Name'), record, [['f[first_name]', wanted]], true)).toBe(expected);
});

test('a list of connections that may be partly hidden counts as changed', () => {
  const record = { id: 'r1', f: ['r2'] };
  expect(isUnchanged(createTable('Connection'), record, [['f', ['r2']]], false)).toBe(false);
});
