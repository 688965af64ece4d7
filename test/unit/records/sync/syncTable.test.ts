import { Table } from '../../../../nodes/records';
import { createRecordKey, createSyncKey, formatRecordKey } from '../../../../nodes/records/sync/syncTable';
import { parseField } from '../fields/fieldTools';

const table = new Table(
  't1',
  [
    ['code', 'Text'],
    ['amount', 'Number'],
    ['tags', 'Multi-select'],
    ['person', 'Name'],
  ].map(([slug, type]) => parseField({ slug, name: slug, type })),
);
const createColumns = (slugs: string[]) => slugs.map((slug) => table.resolvePayloadField(slug, 'Fields'));

test.each<[string, Record<string, unknown>, string[], string | undefined, unknown[] | undefined]>([
  ['a text and a number', { code: 'a', amount: '7' }, ['code', 'amount'], '["a",7]', ['a', 7]],
  ['a list of one value', { tags: ['x'] }, ['tags'], '["x"]', ['x']],
  ['a list of several values', { tags: ['x', 'y'] }, ['tags'], undefined, undefined],
  ['an empty list', { tags: [] }, ['tags'], undefined, undefined],
  ['an empty text', { code: '' }, ['code'], undefined, undefined],
  ['one of two values', { code: 'a', amount: null }, ['code', 'amount'], undefined, undefined],
  ['a value that cannot be read', { amount: 'n/a' }, ['amount'], undefined, undefined],
  ['no field', {}, ['code'], undefined, undefined],
  ['a value with parts', { person: { first_name: 'Ada' } }, ['person'], '[{"first_name":"Ada"}]', undefined],
])('the key of a record with %s', (_, values, slugs, text, wanted) => {
  const record = { id: 'r1', ...values };
  const columns = createColumns(slugs);
  expect(formatRecordKey(record, columns)).toBe(text);
  expect(createRecordKey(record, columns)?.matches.map(({ value }) => value)).toEqual(wanted);
});

test('an input whose value cannot be compared is refused', () => {
  expect(createSyncKey(['amount'], [['amount', '7']], table)).toBe('[7]');
  expect(() => createSyncKey(['amount'], [['amount', 'n/a']], table)).toThrow(
    'The values to match on cannot be compared: ["n/a"]',
  );
});
