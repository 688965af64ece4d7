import { compileForm } from '../../../nodes/RecordDatabaseTrigger/decide';
import type { TriggerParameters } from '../../../nodes/RecordDatabaseTrigger/form';
import { type FilterTree, Table } from '../../../nodes/records';
import { parseField } from '../records/fields/fieldTools';

const options = [{ id: '1', value: 'new', label: 'New' }];
const FIELDS: Array<[slug: string, type: string]> = [
  ['status', 'Text'],
  ['stage', 'Dropdown Single'],
  ['kind', 'Dropdown Single'],
  ['due', 'Date & Time'],
  ['who', 'Connection'],
];
const fields = FIELDS.map(([slug, type]) => ({
  ...parseField({ slug, fieldId: `f_${slug}`, name: `The ${slug}`, type }),
  ...(type === 'Dropdown Single' && { options }),
}));
const table = new Table('t1', fields as never);
const now = new Date('2025-01-01T23:30:00Z');

const createParameters = (more: Partial<TriggerParameters> = {}): TriggerParameters => ({
  tableIds: ['t1'],
  events: ['UPDATE'],
  output: 'record',
  columns: [],
  connectedFields: [],
  changedFields: [],
  timeZone: 'utc',
  startBy: 'subscription',
  displayNames: false,
  fullRecord: false,
  ignoreDuplicates: false,
  startWithoutEarlierValues: true,
  ...more,
});
const createFilter = (...conditions: FilterTree['conditions']): FilterTree => ({
  match: 'all',
  conditions,
  groups: [],
});
const getSlugs = (list: Array<{ slug: string }>) => list.map(({ slug }) => slug);

test.each<[string, Partial<TriggerParameters>, string[]]>([
  ['nothing chosen', {}, []],
  ['display names: all fields of the table', { displayNames: true }, getSlugs(fields)],
  ['chosen fields', { columns: ['status', 'f_due'] }, ['status', 'due']],
  ['chosen fields with display names', { columns: ['status'], displayNames: true }, ['status']],
  ['created_at, if it is chosen', { columns: ['created_at'], displayNames: true }, ['created_at']],
])('the item must contain: %s', (_, parameters, expected) => {
  const { outputFields } = compileForm(createParameters(parameters), table, { now, serviceTimeZone: 'utc' });
  expect(outputFields.map(({ field }) => field.slug)).toEqual(expected);
});

test('a watched field that the table lacks is an error, if no other table is chosen', () => {
  const compile = (tableIds: string[], isUpdate: boolean) =>
    compileForm(createParameters({ tableIds, changedFields: ['status', 'gone'] }), table, {
      now,
      serviceTimeZone: 'utc',
      isUpdate,
    });
  expect(() => compile(['t1'], true)).toThrow('Watched Fields: the table has no field "gone"');
  expect(compile(['t1', 't2'], true).watchedSlugs).toEqual(['status', 'gone']);
  // Created and deleted records start the workflow without Watched Fields.
  expect(compile(['t1'], false).watchedSlugs).toEqual(['status', 'gone']);
});

test('today is that of the service, whatever the time zone of the workflow', () => {
  const filter = createFilter({ field: 'due', operator: 'is after today' });
  const isAfterToday = (serviceTimeZone: string, timeZone: string) =>
    compileForm(createParameters({ filter, timeZone }), table, { now, serviceTimeZone }).matches?.({
      due: '2025-01-02 12:00:00',
    });
  expect(isAfterToday('utc', 'Europe/Berlin')).toBe(true);
  expect(isAfterToday('Europe/Berlin', 'utc')).toBe(false);
});

test('a moment in the filter is compared in the time zone of the workflow, with created_at in that of the service', () => {
  const clock = { now, serviceTimeZone: 'Asia/Tokyo' };
  const match = (field: string, date: string) => {
    const filter = createFilter({ field, operator: 'is before', value: '2026-01-01T17:00:00Z' });
    const parameters = createParameters({ filter, timeZone: 'America/New_York' });
    return compileForm(parameters, table, clock).matches?.({ [field]: date });
  };
  expect(match('due', '2026-01-01 11:59:59')).toBe(true);
  expect(match('due', '2026-01-01 12:00:00')).toBe(false);
  expect(match('created_at', '2026-01-02 01:59:59')).toBe(true);
  expect(match('created_at', '2026-01-02 02:00:00')).toBe(false);
});
