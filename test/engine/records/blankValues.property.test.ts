import { conditionsParameter } from '../../../nodes/n8n/filter/filterForm';
import { formatFieldOption } from '../../../nodes/n8n/filter/filterLists';
import { type Field, getKind } from '../../../nodes/records';
import { createSeed, scaleRuns, scaleSize } from '../../randomness';
import type { FieldDefinition, Table } from '../../service';
import type { Application } from '../../service/state/application';
import { Random } from '../../service/state/random';
import { KIND_NAMES, parseField } from '../../unit/records/fields/fieldTools';
import { createRecordWorkflow } from '../polling/support';
import { runOperation } from '../support/runOperation';
import { toColumns, toLocator } from '../support/testEnvironment';
import { useTestEnvironment } from '../support/useTestEnvironment';
import { createTriggerWorkflow } from '../trigger/support';

/**
 * A condition whose value is blank never selects records: an expression that found nothing must not delete, change, export or
 * return what nobody asked for. Each kind of field, each operator with a value, each blank value, each place that takes a
 * condition.
 */

const env = useTestEnvironment({ jobMs: 1 });
const TYPES: Array<FieldDefinition['type']> = ['Text', 'Email', 'Number', 'Decision Box', 'Date', 'Date-Time', 'Time', 'Calendar', 'Name', 'Address', 'Select', 'Multi-select', 'Checkbox', 'Connection', 'User', 'File', 'Rating']; // prettier-ignore
const TYPED_INPUTS: Partial<Record<Field['kind'], string[]>> = {
  number: ['numberValue', 'numberTo', 'numberValues'],
  checkbox: ['checkedValue'],
  file: ['filledValue'],
  choice: ['choiceValue', 'choiceValues'],
  choices: ['choiceValue', 'choiceValues'],
  date: ['dateValue', 'dateTo'],
  dateTime: ['dateValue', 'dateTo'],
  calendar: ['dateValue', 'dateTo'],
  time: ['value', 'timeFrom', 'timeTo'],
};
/** What an expression stores in an input if the item has no such key, or an empty one. */
const BLANKS = [
  '={{ {}.nothing }}',
  '={{ null }}',
  '={{ "" }}',
  '={{ "  " }}',
  '={{ [] }}',
  '={{ [""] }}',
  '={{ "\\u200B" }}',
  '={{ 0 / 0 }}',
  '',
  ' ',
];
const JSON_BLANKS = [null, '', '  ', '\u200B', [], [''], {}, { id: null }];
/** Lists in which one entry found nothing: without it, a list that excludes records would exclude fewer. */
const LISTS = ['={{ ["1", ""] }}', '={{ [null, "1"] }}', '["1", ""]'];
const JSON_LISTS = [['1', ''], [null, '1'], '["1", null]'];

let table: Table;
let random: Random;
let componentPath: object;
let templateId: object;

beforeAll(() => {
  random = new Random(createSeed());
  const options = ['a: Letter a', 'b: Letter b'];
  const hasOptions = /select|checkbox/i;
  table = env.service.addTable({
    name: 'Blanks',
    fields: TYPES.map((type): FieldDefinition => ({
      name: `The ${type}`,
      type,
      ...(hasOptions.test(type) && { options }),
      ...(/Connection|User/.test(type) && { to: 'Users' }),
    })),
  });
  for (let n = 0; n < 5; n++) table.insert({ the_text: `Record ${n}` });
  const { app } = env.service as unknown as { app: Application };
  const [page] = app.site.pages;
  const settings = { show_search: true, records_per_page: 25 };
  page!.components.push({
    id: 'cBlanks',
    name: 'Blanks',
    type: 'table',
    table,
    settings,
    visibleTo: 'everyone',
  });
  componentPath = { pageId: toLocator(page!.id), componentId: toLocator('cBlanks') };
  app.exports.templates.push({ id: 'eBlanks', name: 'Blanks', table, columns: ['the_text'] });
  templateId = toLocator('eBlanks');
});

const toSlug = (type: string) => `the_${type.toLowerCase().replace(/[^a-z]/g, '_')}`;

/** Every condition that compares with a value, as a field with its operator. */
const listComparisons = () =>
  TYPES.flatMap((type) => {
    const { kind } = parseField({ slug: 'x', type });
    return getKind({ kind })
      .operators.filter(
        ({ operand, needsUser }) => operand !== 'none' && operand !== 'relative' && !needsUser,
      )
      .map(({ name }) => ({ type, kind, operator: name }));
  });

type Comparison = ReturnType<typeof listComparisons>[number];

/** The row of a form whose inputs all hold a blank. */
function createRow({ type, kind, operator }: Comparison, blank: string) {
  const names = ['value', ...(TYPED_INPUTS[kind] ?? [])];
  return {
    field: formatFieldOption(toSlug(type), kind),
    operator,
    ...Object.fromEntries(names.map((name) => [name, blank])),
  };
}

/** A filter in the form, or as JSON in the short form or in that of the service. */
function createFilter(comparison: Comparison) {
  const { type, kind, operator } = comparison;
  const isList = operator === 'is any of' || kind === 'connection';
  const blanks = isList ? [...BLANKS, ...LISTS] : BLANKS;
  if (random.nextBoolean(0.6))
    return { filterMode: 'manual', conditions: { items: [createRow(comparison, random.pick(blanks))] } };
  const [field_id, val] = [toSlug(type), random.pick(isList ? [...JSON_BLANKS, ...JSON_LISTS] : JSON_BLANKS)];
  const json = random.nextBoolean(0.5)
    ? { [field_id]: { [operator]: val } }
    : { items: [{ field_id, operator, val }] };
  return { filterMode: 'json', filterJson: JSON.stringify(json) };
}

type Place = [name: string, run: (filter: object) => Promise<string | undefined>];

const runRecords = async (operation: string, parameters: object) => {
  const { error } = await env.runRecordOperation(operation, table, parameters);
  return error?.message;
};
const runNode = async (folder: string, parameters: object) =>
  (await runOperation(env, folder, parameters)).error?.message;
const publish = async (workflow: Parameters<typeof env.engine.activate>[0]) => {
  try {
    await (await env.engine.activate(workflow)).deactivate();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
};

const PLACES: Place[] = [
  ['Get Many', (filter) => runRecords('getAll', { returnAll: true, ...filter })],
  ['Count', (filter) => runRecords('count', filter)],
  ['Delete Many', (filter) => runRecords('deleteMany', { maximum: 1000, ...filter })],
  [
    'Batch Update',
    (filter) => runRecords('batchUpdate', { columns: toColumns({ the_text: 'x' }), ...filter }),
  ],
  [
    'Sync',
    (filter) =>
      runRecords('sync', {
        columns: toColumns({ the_text: 'x' }, ['the_text']),
        deleteMissing: true,
        ...filter,
      }),
  ],
  [
    'Export',
    (filter) =>
      runNode('RecordDatabaseImportExport', {
        resource: 'export',
        operation: 'run',
        templateId,
        dataTableId: toLocator(table.id),
        ...filter,
      }),
  ],
  [
    'Component records',
    (filter) =>
      runNode('RecordDatabasePages', {
        resource: 'component',
        operation: 'getRecords',
        ...componentPath,
        returnAll: true,
        ...filter,
      }),
  ],
  ['trigger', (filter) => publish(createTriggerWorkflow(env, ['Blanks'], ['INSERT'], filter))],
  ['polling trigger', (filter) => publish(createRecordWorkflow(table, { detection: 'snapshot', ...filter }))],
];

/** Requests that read or change records, or start an export. Tables and fields may be read to check the filter. */
const listDataRequests = (since: number) =>
  env.listRequests(since).filter((request) => /\/(records|trigger|subscribe)\b/.test(request));

test('a blank value is refused in every place, and nothing is sent', async () => {
  const comparisons = listComparisons();
  const cases = [
    // Each comparison once, or each second one, then random ones.
    ...comparisons
      .filter((_, n) => scaleSize(n % 2 === createSeed() % 2, true))
      .map((comparison, n) => [comparison, PLACES[n % PLACES.length]!] as const),
    ...Array.from({ length: scaleRuns(300) }, () => [random.pick(comparisons), random.pick(PLACES)] as const),
  ];
  for (const [comparison, [place, run]] of cases) {
    const filter = createFilter(comparison);
    const before = env.service.requests.length;
    const message = await run(filter);
    expect([place, filter, message ?? 'no error', listDataRequests(before)]).toEqual([
      place,
      filter,
      expect.stringMatching(
        /needs .*value|cannot (be compared|compare)|empty object|under "|has no operator/,
      ),
      [],
    ]);
  }
  expect(table.records.size).toBe(5);
});

test.each(['is', 'is not', 'is any of', 'contains'])(
  'a connection that is compared with nothing ("%s") has the same error in every place',
  async (operator) => {
    const blanks: unknown[] = [null, '', {}, { id: null }, { id: '' }];
    for (const [place, run] of PLACES) {
      const val = random.pick(blanks);
      const items = [{ field_id: 'the_connection', operator, val }];
      const message = await run({ filterMode: 'json', filterJson: JSON.stringify({ items }) });
      expect([place, val, message]).toEqual([
        place,
        val,
        // A trigger adds the remedy.
        expect.stringContaining(`Filter: "The Connection" needs a value for the operator "${operator}"`),
      ]);
    }
  },
);

test.each(['deleteMany', 'getAll'])(
  '%s: a Decision Box that is compared with nothing selects no unchecked record',
  async (operation) => {
    for (const blank of BLANKS) {
      const row = { field: 'the_decision_box|checkbox', operator: 'is', checkedValue: blank, value: blank };
      const message = await runRecords(operation, {
        maximum: 100,
        filterMode: 'manual',
        conditions: { items: [row] },
      });
      expect(message).toBe('Filter: "The Decision Box" needs a value for the operator "is"');
    }
    expect(table.records.size).toBe(5);
  },
);

test('a Decision Box is Yes or No, and a File is Filled or Blank', async () => {
  const checked = table.insert({ the_decision_box: 1 });
  const count = async (row: object) =>
    (
      await env.runRecordOperation('count', table, { filterMode: 'manual', conditions: { items: [row] } })
    ).getJson('Node')[0]!.count;
  const box = { field: 'the_decision_box|checkbox', operator: 'is' };
  expect(await count({ ...box, checkedValue: 'yes' })).toBe(1);
  expect(await count({ ...box, checkedValue: 'no' })).toBe(5);
  // The form opens with Yes. An expression may return a boolean, and as a field it has no list of its own.
  expect(await count(box)).toBe(1);
  expect(await count({ field: '={{ "the_decision_box" }}', operator: 'is', value: '={{ true }}' })).toBe(1);
  expect(await count({ ...box, checkedValue: '={{ false }}' })).toBe(5);
  expect(await count({ field: 'the_file|file', operator: 'is', filledValue: 'blank' })).toBe(6);
  expect(await count({ field: 'the_file|file', operator: 'is', filledValue: 'filled' })).toBe(0);
  table.delete(checked.id);
});

test('the operator with which a condition starts is in the list of every kind', () => {
  const [{ values }] = conditionsParameter.options as unknown as [
    { values: Array<{ name: string; default: unknown }> },
  ];
  const preset = values.find(({ name }) => name === 'operator')!.default;
  for (const kind of KIND_NAMES)
    expect([kind, getKind({ kind }).operators.map(({ name }) => name)]).toEqual([
      kind,
      expect.arrayContaining([preset]),
    ]);
});
