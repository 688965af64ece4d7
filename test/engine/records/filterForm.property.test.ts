import { skipWaits } from '../../environment/skipWaits';
import type { Run } from '../../harness';
import { createSeed, scaleRuns, scaleSize } from '../../randomness';
import type { StoredRecord, Table } from '../../service';
import type { Application } from '../../service/state/application';
import { Random } from '../../service/state/random';
import { createRecordWorkflow } from '../polling/support';
import { runOperation } from '../support/runOperation';
import { getOutput, toColumns, toLocator } from '../support/testEnvironment';
import { useTestEnvironment } from '../support/useTestEnvironment';
import { createTriggerWorkflow } from '../trigger/support';

/**
 * One form for all: the rows that a user fills in mean the same records in each operation and trigger that has a filter.
 * The oracle evaluates the rows by the words of the specification and knows neither operator names of requests nor the
 * notation of a value. Search and the two batch operations find the same records, or refuse exactly what the symbolic form
 * cannot express.
 */

skipWaits();
const env = useTestEnvironment({ jobMs: 1 });

const TODAY = new Date().toISOString().slice(0, 10);
/** The day so many days from today. No test depends on the time of day: all days but today are at least 10 days away. */
const toDay = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
const DAYS = [-400, -60, -10, 10, 60].map(toDay);

let table: Table;
let linked: StoredRecord[];
let componentPath: object;
let templateId: object;
let random: Random;

const TEXTS = ['Apple', 'apple', 'APPLE pie', 'Banana', '10', 'a,b', ''];
const CHOICES = ['a', 'A', 'b'];

beforeAll(() => {
  random = new Random(createSeed());
  const names = env.service.addTable({ name: 'Linked', fields: [{ name: 'Label', type: 'Text' }] });
  linked = ['One', 'Two', 'Three'].map((label) => names.insert({ label }));
  const options = ['a: Letter a', 'A: Capital A', 'b: Letter b'];
  table = env.service.addTable({
    name: 'Filtered',
    fields: [
      { name: 'Key', type: 'Text' },
      { name: 'Text', type: 'Text' },
      { name: 'Person', type: 'Name' },
      { name: 'Amount', type: 'Number' },
      { name: 'Box', type: 'Decision Box' },
      { name: 'Day', type: 'Date' },
      { name: 'Moment', type: 'Date-Time' },
      { name: 'Clock', type: 'Time' },
      { name: 'Pick', type: 'Select', options },
      { name: 'Plain Pick', type: 'Select', options: ['x: Letter x', 'y: Letter y'] },
      { name: 'Picks', type: 'Multi-select', options },
      { name: 'Checks', type: 'Checkbox', options },
      { name: 'Link', type: 'Connection', to: 'Linked' },
    ],
  });
  for (let key = 0; key < 60; key++) table.insert(createRecord(String(key)));

  // A component and an export without a filter of their own.
  const { app } = env.service as unknown as { app: Application };
  const [page] = app.site.pages;
  const component = { id: 'cFiltered', name: 'Filtered', type: 'table', table } as const;
  const settings = { show_search: true, records_per_page: 25 };
  page!.components.push({ ...component, settings, visibleTo: 'everyone' });
  componentPath = { pageId: toLocator(page!.id), componentId: toLocator('cFiltered') };
  app.exports.templates.push({ id: 'eFiltered', name: 'Filtered', table, columns: ['key'] });
  templateId = toLocator('eFiltered');
});

const pickSome = <T>(all: T[]): T[] => all.filter(() => random.nextBoolean(0.35));
const orNull = <T>(value: T): T | null => (random.nextBoolean(0.2) ? null : value);

const createRecord = (key: string) => ({
  key,
  text: random.pick(TEXTS),
  person: { title: '', first_name: random.pick(TEXTS), middle_name: '', last_name: 'Byron' },
  amount: orNull(random.nextInt(-2, 4)),
  box: random.nextInt(0, 1),
  day: orNull(random.pick(DAYS)),
  moment: orNull(`${random.pick(DAYS)} ${random.pick(['00:00:00', '09:30:00', '23:59:59'])}`),
  clock: orNull(random.pick(['00:00:00', '09:30:00', '18:00:00'])),
  pick: random.pick([...CHOICES, '']),
  plain_pick: random.pick(['x', 'y', '']),
  picks: pickSome(CHOICES),
  checks: pickSome(CHOICES),
  link: pickSome(linked).map(({ id }) => id),
});

/** A row of the form, what it means, and whether the symbolic form can express it. */
interface Row {
  row: Record<string, unknown>;
  matches(record: StoredRecord): boolean;
  isSymbolic: boolean;
}

type CreateRow = () => Row;

/** Operators that the symbolic form has for texts. */
const SYMBOLIC_TEXT = ['is', 'is not', 'contains', 'starts with', 'is blank', 'is not blank'];

/** The operators of Text. */
function createTextRows(
  field: string,
  readTexts: (record: StoredRecord) => string[],
  values: string[],
  toInput: (operator: string, value: string) => object,
  /** Values for "contains", "starts with" and "ends with". A multiple choice refuses one that is a part of another choice. */
  parts = values,
): CreateRow[] {
  const fold = (text: string) => text.toLowerCase();
  const tests: Record<string, (text: string, value: string) => boolean> = {
    is: (text, value) => fold(text) === fold(value),
    'is exact': (text, value) => text === value,
    contains: (text, value) => fold(text).includes(fold(value)),
    'starts with': (text, value) => fold(text).startsWith(fold(value)),
    'ends with': (text, value) => fold(text).endsWith(fold(value)),
  };
  const opposites = { 'is not': 'is', 'is not exact': 'is exact', 'does not contain': 'contains' } as const;
  const compare = (operator: string) => (): Row => {
    const value = random.pick(/contain|with$/.test(operator) ? parts : values);
    const opposite = opposites[operator as keyof typeof opposites];
    const test = tests[opposite ?? operator]!;
    return {
      row: { field, operator, ...toInput(operator, value) },
      matches: (record) => readTexts(record).some((text) => test(text, value)) === (opposite === undefined),
      isSymbolic: SYMBOLIC_TEXT.includes(operator),
    };
  };
  return [
    ...[...Object.keys(tests), ...Object.keys(opposites)].map(compare),
    ...createBlankRows(field, (record) => readTexts(record).every((text) => text === '')),
  ];
}

const createBlankRows = (field: string, isBlank: (record: StoredRecord) => boolean): CreateRow[] => [
  () => ({ row: { field, operator: 'is blank' }, matches: isBlank, isSymbolic: true }),
  () => ({
    row: { field, operator: 'is not blank' },
    matches: (record) => !isBlank(record),
    isSymbolic: true,
  }),
];

/** "Is any of" is symbolic with a single value only. */
const createAnyRow =
  (
    field: string,
    values: string[],
    toInput: (chosen: string[]) => object,
    has: (record: StoredRecord, value: string) => boolean,
  ): CreateRow =>
  // prettier-ignore
  () => {
    const chosen = [random.pick(values), ...(random.nextBoolean(0.7) ? [random.pick(values)] : [])];
    return {
      row: { field, operator: 'is any of', ...toInput(chosen) },
      matches: (record) => chosen.some((value) => has(record, value)),
      isSymbolic: chosen.length === 1,
    };
  };

/** The operators that order values: numbers, dates and times. `end` is the last value that a given one stands for. */
function createOrderRows<T extends number | string>(
  field: string,
  read: (record: StoredRecord) => T | null,
  words: [above: string, atLeast: string, below: string, atMost: string],
  createValue: () => { start: T; end: T; input: object; from: object; to: object },
): CreateRow[] {
  const compare =
    (operator: string, test: (value: T, start: T, end: T) => boolean, isNegated = false): CreateRow =>
    () => {
      const { start, end, input } = createValue();
      return {
        row: { field, operator, ...input },
        matches: (record) => {
          const value = read(record);
          return (value !== null && test(value, start, end)) !== isNegated;
        },
        // A day that a Date-Time is not on needs OR.
        isSymbolic: !isNegated || start === end,
      };
    };
  const isWithin = (value: T, start: T, end: T) => value >= start && value <= end;
  const between: CreateRow = () => {
    const [low, high] = [createValue(), createValue()].sort((one, other) =>
      one.start < other.start ? -1 : 1,
    );
    return {
      row: { field, operator: 'between', ...low!.from, ...high!.to },
      matches: (record) => {
        const value = read(record);
        return value !== null && value >= low!.start && value <= high!.end;
      },
      isSymbolic: true,
    };
  };
  const [above, atLeast, below, atMost] = words;
  return [
    compare('is', isWithin),
    compare('is not', isWithin, true),
    compare(above, (value, _start, end) => value > end),
    compare(atLeast, (value, start) => value >= start),
    compare(below, (value, start) => value < start),
    compare(atMost, (value, _start, end) => value <= end),
    between,
    ...createBlankRows(field, (record) => read(record) === null),
  ];
}

/** The operators that compare with now, and the periods relative to today. */
function createNowRows(field: string, slug: string): CreateRow[] {
  const test =
    (operator: string, isMatch: (day: string) => boolean, more: object = {}): CreateRow =>
    () => ({
      row: { field, operator, ...more },
      matches: (record) => record[slug] !== null && isMatch(String(record[slug]).slice(0, 10)),
      isSymbolic: operator === 'is within',
    });
  return [
    test('is before today', (day) => day < TODAY),
    test('is after today', (day) => day > TODAY),
    test('is before current time', (day) => day < TODAY),
    test('is after current time', (day) => day > TODAY),
    test('is within', (day) => day > toDay(-30) && day < TODAY, { period: 'last', amount: 30, unit: 'day' }),
    test('is within', (day) => day > TODAY && day < toDay(30), { period: 'next', amount: 30, unit: 'day' }),
  ];
}

const DATE_WORDS: [string, string, string, string] = ['is after', 'is on or after', 'is before', 'is on or before']; // prettier-ignore

const getTexts = (slug: string) => (record: StoredRecord) => [record[slug]].flat().map(String);

function createAllRows(): Record<string, CreateRow[]> {
  const given = TEXTS.filter((text) => text !== '');
  const asValue = (_operator: string, value: string) => ({ value });
  const asChoice = (_operator: string, value: string) => ({ choiceValue: value });
  const hasText = (slug: string) => (record: StoredRecord, value: string) =>
    getTexts(slug)(record).some((text) => text.toLowerCase() === value.toLowerCase());
  const ids = () => linked.map(({ id }) => id);
  const hasLink = (record: StoredRecord, id: string) => (record.link as string[]).includes(id);
  const compareLink =
    (operator: string): CreateRow =>
    () => {
      const value = random.pick(ids());
      const row = { field: 'link|connection', operator, value: `={{ ${JSON.stringify({ id: value })} }}` };
      return {
        row,
        matches: (record) => hasLink(record, value) !== (operator === 'is not'),
        isSymbolic: true,
      };
    };
  const createDay = (day = random.pick([...DAYS, TODAY])) => {
    const text = `${day}T00:00:00`;
    return {
      start: day,
      end: day,
      input: { dateValue: text },
      from: { dateValue: text },
      to: { dateTo: text },
    };
  };
  const createMoment = () => {
    if (random.nextBoolean(0.5)) {
      const day = createDay();
      return { ...day, start: `${day.start} 00:00:00`, end: `${day.start} 23:59:59` };
    }
    const [day, time] = [random.pick(DAYS), random.pick(['09:30:00', '12:00:00'])];
    return { ...createDay(`${day}`), ...addMidnight(`${day} ${time}`) };
  };
  const addMidnight = (text: string) => {
    const given = text.replace(' ', 'T');
    return {
      start: text,
      end: text,
      input: { dateValue: given },
      from: { dateValue: given },
      to: { dateTo: given },
    };
  };
  const checks = 'checks|checkboxes';
  const isChecked = (record: StoredRecord) => (record.checks as string[]).length > 0;
  return {
    text: [
      ...createTextRows('text|text', getTexts('text'), given, asValue),
      createAnyRow(
        'text|text',
        ['Apple', 'banana', '10'],
        (chosen) => ({ value: chosen.join(', ') }),
        hasText('text'),
      ),
    ],
    person: createTextRows('person-first|text', (record) => [String((record.person as StoredRecord).first_name)], given, asValue), // prettier-ignore
    amount: [
      ...createOrderRows<number>(
        'amount|number',
        (record) => record.amount as number | null,
        ['higher than', 'higher than or equal to', 'lower than', 'lower than or equal to'],
        () => {
          const start = random.nextInt(-2, 4);
          return { start, end: start, input: { numberValue: start }, from: { numberValue: start }, to: { numberTo: start } }; // prettier-ignore
        },
      ),
      createAnyRow('amount|number', ['0', '1', '-2'], (chosen) => ({ numberValues: chosen.join(', ') }), (record, value) => record.amount === Number(value)), // prettier-ignore
    ],
    box: [1, 0].map((value) => () => ({
      row: { field: 'box|checkbox', operator: value === 1 ? 'is checked' : 'is unchecked' },
      matches: (record: StoredRecord) => record.box === value,
      isSymbolic: true,
    })),
    day: [
      ...createOrderRows(
        'day|date',
        (record) => record.day as string | null,
        DATE_WORDS,
        () => createDay(),
      ),
      ...createNowRows('day|date', 'day'),
    ],
    moment: [
      ...createOrderRows(
        'moment|dateTime',
        (record) => record.moment as string | null,
        DATE_WORDS,
        createMoment,
      ),
      ...createNowRows('moment|dateTime', 'moment'),
    ],
    clock: createOrderRows(
      'clock|time',
      (record) => record.clock as string | null,
      DATE_WORDS,
      () => {
        const start = random.pick(['00:00:00', '09:30:00', '12:00:00']);
        return {
          start,
          end: start,
          input: { value: start },
          from: { timeFrom: start },
          to: { timeTo: start },
        };
      },
    ),
    pick: [
      // "a" and "A" are choices of their own.
      ...createTextRows('pick|choice', getTexts('pick'), CHOICES, asChoice),
      createAnyRow('pick|choice', CHOICES, (chosen) => ({ choiceValues: chosen }), hasText('pick')),
    ],
    plainPick: createTextRows('plain_pick|choice', getTexts('plain_pick'), ['x', 'y'], asChoice),
    picks: [
      ...createTextRows('picks|choices', getTexts('picks'), CHOICES, asChoice, ['b']),
      createAnyRow('picks|choices', CHOICES, (chosen) => ({ choiceValues: chosen }), hasText('picks')),
    ],
    checks: [
      ...createTextRows(checks, getTexts('checks'), CHOICES, asValue, ['b']),
      () => ({ row: { field: checks, operator: 'is checked' }, matches: isChecked, isSymbolic: false }),
      () => ({ row: { field: checks, operator: 'is unchecked' }, matches: (record) => !isChecked(record), isSymbolic: false }), // prettier-ignore
    ],
    link: [
      ...['is', 'is not', 'contains'].map(compareLink),
      ...createBlankRows('link|connection', (record) => (record.link as string[]).length === 0),
    ],
  };
}

/** A filled-in form, what it means, and whether Batch Update can send it. */
interface Filter {
  parameters: { filterMode: string; match: string; conditions: object; groups: object };
  matches(record: StoredRecord): boolean;
  isSymbolic: boolean;
}

interface Group {
  match: 'all' | 'any';
  rows: Row[];
}

const matchesAll = (match: 'all' | 'any', results: boolean[]): boolean =>
  match === 'all' ? results.every(Boolean) : results.some(Boolean);

function createFilter({ match, rows }: Group, groups: Group[] = []): Filter {
  const toItems = (some: Row[]) => ({ items: some.map(({ row }) => row) });
  // OR has no place in the symbolic form. Groups that must all match are one list.
  const isList = (group: Group, others = 0) =>
    (group.match === 'all' || group.rows.length + others <= 1) &&
    group.rows.every(({ isSymbolic }) => isSymbolic);
  return {
    parameters: {
      filterMode: groups.length > 0 ? 'groups' : match === 'all' ? 'manual' : 'any',
      match,
      conditions: toItems(rows),
      groups: { items: groups.map((group) => ({ match: group.match, conditions: toItems(group.rows) })) },
    },
    matches: (record) =>
      matchesAll(match, [
        ...rows.map((row) => row.matches(record)),
        ...groups.map((group) => matchesAll(group.match, group.rows.map((row) => row.matches(record)))), // prettier-ignore
      ]),
    isSymbolic: isList({ match, rows }, groups.length) && groups.every((group) => isList(group)),
  };
}

function createRandomFilter(): Filter {
  const all = Object.values(createAllRows());
  const createGroup = (minimum: number, maximum: number): Group => ({
    match: random.pick(['all', 'any']),
    rows: Array.from({ length: random.nextInt(minimum, maximum) }, () => random.pick(random.pick(all))()),
  });
  return createFilter(
    createGroup(1, 3),
    Array.from({ length: random.nextInt(0, 2) }, () => createGroup(1, 2)),
  );
}

/** Each operator of each kind alone, then random trees. */
const createFilters = (count: number): Filter[] => [
  ...Object.values(createAllRows())
    .flat()
    .map((create) => createFilter({ match: 'all', rows: [create()] })),
  ...Array.from({ length: scaleRuns(count) }, createRandomFilter),
];

const listKeys = (run: Run): string[] => getOutput(run).map(({ key }) => String(key)).sort(); // prettier-ignore

const runRecords = (operation: string, parameters: object) =>
  env.runRecordOperation(operation, table, { returnAll: true, ...parameters });

const findMeant = ({ matches }: Filter, records = [...table.records.values()]): string[] =>
  records.filter(matches).map(({ key }) => String(key)).sort(); // prettier-ignore

/** The keys of the records that an operation reaches, or the message of its refusal. */
async function reach(run: Promise<Run>, read: (run: Run) => unknown = listKeys) {
  const result = await run;
  return result.error ? result.error.message : read(result);
}

test('Get Many, Count, Delete Many and Sync reach the records that the rows mean', async () => {
  // No record has this key, so Sync deletes all records in the scope of the filter.
  const columns = toColumns({ key: 'none' }, ['key']);
  const listDeleted = (run: Run) =>
    getOutput(run).flatMap(({ _action, key }) => (_action === 'delete' ? [String(key)] : [])).sort(); // prettier-ignore
  for (const [index, filter] of createFilters(400).entries()) {
    const { parameters } = filter;
    const dry = { ...parameters, dryRun: true, options: { dryRun: true } };
    const meant = findMeant(filter);
    const readCount = (run: Run) => getOutput(run)[0]!.count;
    const others = [
      [() => reach(runRecords('count', parameters), readCount), meant.length],
      [() => reach(runRecords('deleteMany', { ...dry, maximum: 100 })), meant],
      [() => reach(runRecords('sync', { ...dry, columns, deleteMissing: true }), listDeleted), meant],
    ] as const;
    expect([parameters, await reach(runRecords('getAll', parameters))]).toEqual([parameters, meant]);
    // The other operations take turns, except in a full run.
    const some = others.slice(...scaleSize([index % 3, (index % 3) + 1], [0, 3]));
    for (const [run, expected] of some) expect([parameters, await run()]).toEqual([parameters, expected]);
  }
});

test('Batch Update reaches the same records, or refuses what the symbolic form cannot express', async () => {
  const refusal: unknown = expect.stringMatching(/^Filter: Batch Update cannot (compare|match) /);
  const answered = { yes: 0, no: 0 };
  const columns = toColumns({ amount: 77 });
  for (const filter of createFilters(400)) {
    const { parameters, isSymbolic } = filter;
    const dry = { ...parameters, columns, maximum: 100, options: { dryRun: true } };
    const total = await reach(runRecords('batchUpdate', dry), (run) => getOutput(run)[0]!.total);
    answered[isSymbolic ? 'yes' : 'no']++;
    expect([parameters, total]).toEqual([parameters, isSymbolic ? findMeant(filter).length : refusal]);
  }
  expect(answered.yes).toBeGreaterThan(40);
  expect(answered.no).toBeGreaterThan(20);
});

test('a stricter "=" or "!=" never makes Batch Update reach another record', async () => {
  env.service.options.symbolicEquality = 'exact';
  for (const filter of createFilters(200).filter(({ isSymbolic }) => isSymbolic)) {
    const dry = {
      ...filter.parameters,
      columns: toColumns({ amount: 77 }),
      maximum: 100,
      options: { dryRun: true },
    };
    const total = await reach(runRecords('batchUpdate', dry), (run) => getOutput(run)[0]!.total);
    const isFewer = typeof total === 'number' && total <= findMeant(filter).length;
    expect([filter.parameters, isFewer || /do not match the filter/.test(String(total))]).toEqual([
      filter.parameters,
      true,
    ]);
  }
  env.service.options.symbolicEquality = 'is';
});

test('Batch Update changes the records that the rows mean', async () => {
  const keep = new Map([...table.records.values()].map((record) => [record.id, structuredClone(record)]));
  const symbolic = Array.from({ length: 400 }, createRandomFilter).filter(({ isSymbolic }) => isSymbolic);
  for (const filter of symbolic.slice(0, scaleRuns(150))) {
    const meant = findMeant(filter);
    const columns = toColumns({ amount: 77 });
    await reach(runRecords('batchUpdate', { ...filter.parameters, columns }));
    const changed = [...table.records.values()].filter(({ amount }) => amount === 77);
    expect([filter.parameters, changed.map(({ key }) => String(key)).sort()]).toEqual([
      filter.parameters,
      meant,
    ]);
    for (const record of changed) record.amount = keep.get(record.id)!.amount;
  }
});

test('a component and an export have the records that the rows mean', async () => {
  const pages = 'RecordDatabasePages';
  const files = 'RecordDatabaseImportExport';
  // An export takes seconds. The tests above have each operator alone.
  for (const filter of Array.from({ length: scaleRuns(300) }, createRandomFilter)) {
    const { parameters } = filter;
    const meant = findMeant(filter);
    const shown = { resource: 'component', operation: 'getRecords', ...componentPath, returnAll: true };
    const exported = { resource: 'export', operation: 'run', templateId, dataTableId: toLocator(table.id) };
    const found = {
      component: await reach(runOperation(env, pages, { ...shown, ...parameters })),
      export: await reach(runOperation(env, files, { ...exported, ...parameters }), async (run) => {
        const lines = String(await run.readBinary(run.getItems('Node')[0]))
          .trim()
          .split('\r\n');
        return lines.slice(1).sort();
      }),
    };
    expect([parameters, found]).toEqual([parameters, { component: meant, export: meant }]);
  }
});

test('the triggers start with the records that the rows mean', async () => {
  let count = 1000;
  const filters = Array.from({ length: scaleRuns(80) }, createRandomFilter);
  for (const filter of filters) {
    const { parameters } = filter;
    const trigger = await env.engine.activate(
      createTriggerWorkflow(env, ['Filtered'], ['INSERT'], { ...parameters, output: 'record' }),
    );
    const made = Array.from({ length: 12 }, () => table.insert(createRecord(String(count++))));
    await env.service.waitForDeliveries();
    const runs = await trigger.waitUntilIdle();
    await trigger.deactivate();
    const delivered = runs.flatMap((run) => run.getJson('Trigger')).map(({ key }) => String(key)).sort(); // prettier-ignore
    expect([parameters, delivered]).toEqual([parameters, findMeant(filter, made)]);
    for (const { id } of made) table.delete(id);

    const snapshot = { detection: 'snapshot', output: 'record', options: { returnExisting: true } };
    const poll = await env.engine.activate(createRecordWorkflow(table, { ...snapshot, ...parameters }));
    // The first poll runs when the workflow is activated.
    const polled = (await poll.waitUntilIdle()).flatMap((run) => run.getJson('Poll'));
    await poll.deactivate();
    expect([parameters, polled.map(({ key }) => String(key)).sort()]).toEqual([
      parameters,
      findMeant(filter),
    ]);
  }
});
