import fc from 'fast-check';
import { omit } from 'lodash';
import {
  type Decision,
  type DeliveryFacts,
  EMPTY_FORM,
  compileForm,
  decideOnDelivery,
  decideRecordReading,
} from '../../../nodes/RecordDatabaseTrigger/decide';
import type { TriggerParameters } from '../../../nodes/RecordDatabaseTrigger/form';
import { LastValues, LastDeliveries } from '../../../nodes/RecordDatabaseTrigger/staticData';
import { type FilterTree, type RecordValues, Table } from '../../../nodes/records';
import { createSeed, scaleRuns } from '../../randomness';
import { parseField } from '../records/fields/fieldTools';

const FIELDS: Array<[slug: string, type: string]> = [
  ['status', 'Text'],
  ['label', 'Text'],
  ['price', 'Number'],
  ['person', 'Name'],
  ['who', 'Connection'],
];
const table = new Table(
  't1',
  FIELDS.map(([slug, type]) => parseField({ slug, fieldId: `f_${slug}`, name: `The ${slug}`, type })),
);
const WHOLE = {
  id: 'r1',
  status: 'new',
  label: 'L',
  price: 5,
  person: { first_name: 'Ada', last_name: 'B' },
  who: ['x'],
  created_at: '2025-01-01 10:00:00',
};

/** The same in an item. The text of a connected record is not known, so its key is left out. */
const SHOWN = { ...omit(WHOLE, 'who'), who_id: ['x'] };

const PARAMETERS: TriggerParameters = {
  tableIds: ['t1'],
  events: ['INSERT', 'UPDATE', 'DELETE'],
  output: 'record',
  columns: [],
  connectedFields: [],
  changedFields: [],
  timeZone: 'utc',
  startBy: 'subscription',
  displayNames: false,
  fullRecord: false,
  ignoreDuplicates: true,
  startWithoutEarlierValues: true,
};

const createFilter = (...conditions: FilterTree['conditions']): FilterTree => ({
  match: 'all',
  conditions,
  groups: [],
});
const STATUS_IS_NEW = createFilter({ field: 'status', operator: 'is', value: 'new' });
const STATUS_IS_NOT_NEW = createFilter({ field: 'status', operator: 'is not', value: 'new' });

type Given = Omit<DeliveryFacts, 'form'>;

function createFacts(
  record: object,
  parameters: Partial<TriggerParameters> = {},
  more: Partial<DeliveryFacts> & { event?: 'INSERT' | 'UPDATE' | 'DELETE' } = {},
): Given {
  const { event = 'UPDATE', ...facts } = more;
  return {
    delivery: {
      event,
      tableId: 't1',
      tableName: 'T',
      recordId: 'r1',
      record: { id: 'r1', ...record },
      timestamp: '2025-01-01T10:00:00Z',
      receivedAt: Date.UTC(2025, 0, 1, 10),
    },
    parameters: { ...PARAMETERS, ...parameters },
    memory: { lastDeliveries: new LastDeliveries(), lastValues: new LastValues(), tables: new Map() },
    ...facts,
  };
}

/** The filter with the IDs of connected records, which are found with the fields. Here every text is an ID. */
const withIds = (filter: FilterTree): FilterTree => ({
  ...filter,
  conditions: filter.conditions.map((condition) => ({ ...condition, notation: 'ids' })),
  groups: filter.groups.map(withIds),
});

const CLOCK = { now: new Date(), serviceTimeZone: 'utc' };

/** Adds the form, resolved to the fields of the table. */
function withForm(given: Given): DeliveryFacts {
  const { parameters, table: known } = given;
  const filter = parameters.filter && withIds(parameters.filter);
  return {
    ...given,
    form: known ? compileForm({ ...parameters, filter }, known, CLOCK) : EMPTY_FORM,
  };
}

/** What follows from a decision. */
const nameAction = ({ status, item }: Decision) => (item ? 'start' : status === 200 ? 'ignore' : 'refuse');

/** Runs the trigger's decision with a service that has `record`. Also returns how the record was read. */
function settle(
  given: Given,
  record: object | null = WHOLE,
): { decision: Decision & { action: string }; reading: ReturnType<typeof decideRecordReading> } {
  const facts = withForm(given);
  const reading = decideRecordReading(facts);
  const decision = decideOnDelivery(
    reading ? { ...facts, record: (record as RecordValues | null) ?? undefined } : facts,
  );
  return { decision: { action: nameAction(decision), ...decision }, reading };
}

describe('a field of the filter that is missing in the delivery', () => {
  test.each<[string, FilterTree, string]>([
    ['is new', STATUS_IS_NEW, 'start'],
    ['is not new', STATUS_IS_NOT_NEW, 'ignore'],
  ])('is read, not taken as blank: %s', (_what, filter, action) => {
    const { decision, reading } = settle(createFacts({ label: 'L' }, { filter }, { table }));
    expect([decision.action, reading]).toEqual([action, 'required']);
  });

  test.each<[string, object, string | undefined]>([
    ['is read if others of it were delivered', { person: { last_name: 'B' } }, 'required'],
    ['is not read if it was delivered empty', { person: { first_name: '', last_name: 'B' } }, undefined],
  ])('a part %s', (_what, record, expected) => {
    const filter = createFilter({ field: 'person-first', operator: 'is not', value: 'Bob' });
    expect(settle(createFacts(record, { filter }, { table })).reading).toEqual(expected);
  });

  test('reads no record if the delivery contains the field', () => {
    const { decision, reading } = settle(
      createFacts({ status: 'new' }, { filter: STATUS_IS_NEW }, { table }),
    );
    expect([decision.action, reading]).toEqual(['start', undefined]);
  });

  test('is read if only another part of it is delivered', () => {
    const filter = createFilter({ field: 'person-first', operator: 'is', value: 'ada' });
    const partial = { person: { last_name: 'B' } };
    expect(settle(createFacts(partial, { filter }, { table }))).toMatchObject({
      decision: { action: 'start' },
      reading: 'required',
    });
  });

  test.each(['is new', 'is not new'])(
    'of a deletion, whose record cannot be read: the workflow starts with a note (%s)',
    (which) => {
      const filter = which === 'is new' ? STATUS_IS_NEW : STATUS_IS_NOT_NEW;
      const facts = createFacts({ label: 'L' }, { filter }, { table, event: 'DELETE' });
      expect(settle(facts)).toMatchObject({
        decision: {
          action: 'start',
          item: { _event: 'DELETE', _table: 'T', id: 'r1', label: 'L', _notChecked: ['filter'] },
          values: undefined,
        },
        reading: undefined,
      });
    },
  );

  test('of a deletion that has it: the filter decides', () => {
    const facts = createFacts({ status: 'old' }, { filter: STATUS_IS_NEW }, { table, event: 'DELETE' });
    expect(settle(facts).decision.action).toBe('ignore');
  });

  test('of a record that no longer exists: the workflow starts with a note', () => {
    const facts = createFacts({ label: 'L' }, { filter: STATUS_IS_NEW }, { table });
    expect(settle(facts, null).decision).toMatchObject({
      item: { label: 'L', _notChecked: ['filter'] },
    });
  });
});

test('keeps delivered fields as they are and takes only missing fields from the record', () => {
  const filter = createFilter(
    { field: 'status', operator: 'is', value: 'then' },
    { field: 'label', operator: 'is', value: 'L' },
  );
  const { decision } = settle(createFacts({ status: 'then' }, { filter }, { table }));
  expect(decision).toMatchObject({ action: 'start', item: { ...SHOWN, status: 'then' } });
});

test.each<Partial<TriggerParameters>>([
  { columns: ['label'] },
  { columns: ['f_label'] },
  { displayNames: true },
])('reads the fields that the item must contain: %j', (parameters) => {
  const { decision, reading } = settle(createFacts({ status: 'new' }, parameters, { table }));
  expect(reading).toBe('wanted');
  const item = parameters.displayNames ? { 'The label': 'L', 'The status': 'new' } : { id: 'r1', label: 'L' };
  expect(decision).toMatchObject({ action: 'start', item });
  expect(settle(createFacts({ status: 'new' }, parameters, { table }), null).decision).toMatchObject({
    item: { _notChecked: ['fullRecord'] },
  });
});

describe('Read Full Record', () => {
  const fullRecord = true;

  test('adds what a partial delivery lacks; its own values are those of the time of the event', () => {
    const facts = createFacts({ status: 'then', price: '5' }, { fullRecord }, { table });
    const { decision, reading } = settle(facts);
    expect([decision, reading]).toMatchObject([{ item: { ...SHOWN, status: 'then', price: 5 } }, 'wanted']);
  });

  test('reads nothing for a record that the filter drops', () => {
    const filter = STATUS_IS_NEW;
    const dropped = settle(createFacts({ status: 'old' }, { fullRecord, filter }, { table }));
    expect(dropped).toMatchObject({ decision: { action: 'ignore' }, reading: undefined });
    const started = settle(createFacts({ status: 'new' }, { fullRecord, filter }, { table }));
    expect(started).toMatchObject({ decision: { action: 'start' }, reading: 'wanted' });
  });

  test('reads nothing if the delivery has every field that can be written', () => {
    const sum = parseField({ slug: 'sum', name: 'Sum', type: 'Formula' });
    const withSum = new Table('t1', [...table.fields, sum]);
    const read = (record: object) => settle(createFacts(record, { fullRecord }, { table: withSum })).reading;
    expect(read(WHOLE)).toBeUndefined();
    for (const [slug] of FIELDS) expect(read({ ...omit(WHOLE, slug), sum: 1 })).toBe('wanted');
  });

  test('reads nothing for an update of none of the watched fields', () => {
    const memory = { lastDeliveries: new LastDeliveries(), lastValues: new LastValues(), tables: new Map() };
    const watch = (status: string, second: number) => {
      const facts = createFacts({ status }, { fullRecord, changedFields: ['status'] }, { table, memory });
      facts.delivery.receivedAt = second;
      facts.delivery.timestamp = '';
      const { decision, reading } = settle(facts);
      memory.lastValues.store(facts.delivery, (decision as { values: Map<string, string> }).values);
      return [decision.action, reading];
    };
    expect(watch('a', 1)).toEqual(['start', 'wanted']);
    expect(watch('a', 2)).toEqual(['ignore', undefined]);
    expect(watch('b', 3)).toEqual(['start', 'wanted']);
  });

  test('starts with the delivered fields if no filter needs the read', () => {
    const filter = STATUS_IS_NEW;
    const { decision } = settle(createFacts({ status: 'new' }, { fullRecord, filter }, { table }), null);
    expect(decision).toMatchObject({
      action: 'start',
      item: { id: 'r1', status: 'new', _notChecked: ['fullRecord'] },
    });
  });

  test('reads no deleted record', () => {
    const { decision, reading } = settle(createFacts(WHOLE, { fullRecord }, { event: 'DELETE', table }));
    const item = { _event: 'DELETE', _table: 'T', ...SHOWN };
    expect([decision, reading]).toMatchObject([{ action: 'start', item, values: undefined }, undefined]);
  });
});

describe('a pasted address', () => {
  const PASTED = { startBy: 'address' as const };

  test.each<[object, string | undefined, string]>([
    [{ field_9: 'x' }, undefined, 'refuse'],
    [{ field_9: 'x', status: 'new' }, 'required', 'start'],
    [{ created_at: 'x', auto_increment: 1 }, 'required', 'start'],
    [{}, 'required', 'start'],
  ])('of another table is refused, and its record not read: %j', (record, reading, action) => {
    const settled = settle(createFacts(record, PASTED, { table }));
    expect([settled.reading, settled.decision.action]).toEqual([reading, action]);
    const subscribed = settle(createFacts(record, {}, { table }));
    expect(subscribed).toMatchObject({ reading: undefined, decision: { action: 'start' } });
  });

  test('of a field whose slug ends like the texts of a connection is of the table', () => {
    const field = parseField({ slug: 'net_val', fieldId: 'f_net', name: 'Net', type: 'Number' });
    const facts = createFacts({ net_val: 5 }, PASTED, { table: new Table('t1', [field]) });
    expect(settle(facts)).toMatchObject({ reading: 'required', decision: { action: 'start' } });
  });

  test('an unchanged update is read before its values are stored', () => {
    const memory = { lastDeliveries: new LastDeliveries(), lastValues: new LastValues(), tables: new Map() };
    const facts = createFacts(
      WHOLE,
      { ...PASTED, changedFields: ['status'], startWithoutEarlierValues: false },
      { table, memory },
    );
    expect(settle(facts)).toMatchObject({ decision: { action: 'ignore' }, reading: 'required' });
    expect(settle(facts, null).decision.action).toBe('refuse');
  });

  test.each<[object | null, string]>([
    [WHOLE, 'start'],
    [null, 'refuse'],
  ])('%j: %s', (record, action) => {
    expect(settle(createFacts(WHOLE, PASTED), record).decision.action).toBe(action);
  });

  test('starts with the values of the service', () => {
    expect(settle(createFacts({ ...WHOLE, status: 'forged' }, PASTED, { table }))).toMatchObject({
      decision: { item: { status: 'new' } },
      reading: 'required',
    });
  });

  test('a deletion starts if the service has no such record', () => {
    const deleted = createFacts(WHOLE, PASTED, { table, event: 'DELETE' });
    const settled = settle(deleted, null);
    expect(settled).toMatchObject({ decision: { action: 'start', item: SHOWN }, reading: 'required' });
    expect(settle(deleted).decision).toMatchObject({ action: 'refuse', status: 409 });
  });
});

describe('refused and ignored deliveries', () => {
  test.each<[Partial<DeliveryFacts>, Partial<TriggerParameters>, object]>([
    [{}, { tableIds: ['t2'] }, { action: 'refuse', status: 410 }],
    [{}, { events: ['INSERT'] }, { action: 'refuse', status: 410 }],
  ])('%j with %j', (more, parameters, expected) =>
    expect(settle(createFacts(WHOLE, parameters, more)).decision).toMatchObject(expected),
  );

  test('ignores a delivery that was received before, unless duplicates are accepted', () => {
    const facts = createFacts(WHOLE, {}, { table });
    facts.memory.lastDeliveries.store(facts.delivery);
    expect(decideOnDelivery(withForm(facts))).toEqual({ status: 200, reason: 'Received before' });
    facts.parameters.ignoreDuplicates = false;
    expect(settle(facts).decision.action).toBe('start');
  });
});

describe('the fields of the table', () => {
  test('that could not be read leave the record as it was delivered', () => {
    expect(settle(createFacts(WHOLE))).toMatchObject({
      decision: { item: { ...WHOLE, _notChecked: ['fields'] } },
      reading: undefined,
    });
  });

  test('a filter on a removed field is an error', () => {
    const filter = createFilter({ field: 'gone', operator: 'is', value: 'x' });
    expect(() => settle(createFacts(WHOLE, { filter }, { table }))).toThrow('"gone"');
  });
});

describe('Watched Fields', () => {
  const changedFields = ['status', 'f_price'];

  function receive(
    memory: DeliveryFacts['memory'],
    record: object,
    more: Partial<TriggerParameters> = {},
    event = 'UPDATE',
  ) {
    const facts = createFacts(
      record,
      { changedFields, ...more },
      { memory, table, event: event as 'UPDATE' },
    );
    const { decision } = settle(facts);
    if ('values' in decision && decision.values) memory.lastValues.store(facts.delivery, decision.values);
    return decision;
  }
  const createMemory = () => createFacts({}).memory;

  test('starts at the first event, then only for a change, and names the fields that changed', () => {
    const memory = createMemory();
    expect(receive(memory, { status: 'a', price: 1 })).toMatchObject({ item: { _changedFields: null } });
    expect(receive(memory, { status: 'a', price: 1, label: 'other' }).action).toBe('ignore');
    expect(receive(memory, { price: 2 })).toMatchObject({ item: { _changedFields: ['price'] } });
  });

  test('are compared by their parts', () => {
    const memory = createMemory();
    const more = { changedFields: ['person'] };
    const create = (first_name: string) => ({ person: { first_name } });
    expect(receive(memory, create('Ada'), more)).toMatchObject({ item: { _changedFields: null } });
    expect(receive(memory, create('Ada'), more).action).toBe('ignore');
    expect(receive(memory, create('Bob'), more)).toMatchObject({ item: { _changedFields: ['person'] } });
  });

  test('an option decides about a record without earlier values; the next event is compared all the same', () => {
    const memory = createMemory();
    const more = { startWithoutEarlierValues: false };
    expect(receive(memory, { status: 'a' }, more).action).toBe('ignore');
    expect(receive(memory, { status: 'b' }, more)).toMatchObject({ item: { _changedFields: ['status'] } });
  });

  test('events that the filter drops are remembered for the comparison', () => {
    const memory = createMemory();
    const filter = createFilter({ field: 'label', operator: 'is', value: 'L' });
    expect(receive(memory, { status: 'a', label: 'other' }, { filter }).action).toBe('ignore');
    expect(receive(memory, { status: 'a', label: 'L' }, { filter }).action).toBe('ignore');
    expect(receive(memory, { status: 'b', label: 'L' }, { filter }).action).toBe('start');
  });

  test('created and deleted records always start the workflow', () => {
    const memory = createMemory();
    const more = { startWithoutEarlierValues: false };
    expect(receive(memory, { status: 'a' }, more, 'INSERT')).toMatchObject({
      item: { _changedFields: null },
    });
    expect(receive(memory, { status: 'a' }, more).action).toBe('ignore');
    expect(receive(memory, { status: 'a' }, more, 'DELETE')).toMatchObject({ item: { _changedFields: [] } });
  });
});

const RUNS = scaleRuns(5_000);

test(`${RUNS} deliveries with any of the fields lead to the same decision and item as the whole record`, () => {
  const text = fc.constantFrom('', 'new', 'old');
  const record = fc.record({
    status: text,
    label: text,
    price: fc.constantFrom(0, 5, null),
    person: fc.record({ first_name: text, last_name: text }),
    who: fc.constantFrom([], ['x'], ['x', 'y']),
  });
  const condition: fc.Arbitrary<FilterTree['conditions'][number]> = fc.oneof(
    fc.record({
      field: fc.constantFrom('status', 'label', 'person-first', 'person-last'),
      operator: fc.constantFrom('is', 'is not', 'contains', 'does not contain'),
      value: fc.constantFrom('new', 'old'),
    }),
    fc.record({
      field: fc.constantFrom('status', 'label', 'price', 'who'),
      operator: fc.constantFrom('is blank', 'is not blank'),
    }),
    fc.record({
      field: fc.constant('price'),
      operator: fc.constantFrom('is', 'is not', 'higher than', 'lower than'),
      value: fc.constantFrom(0, 5),
    }),
    fc.record({
      field: fc.constant('who'),
      operator: fc.constantFrom('is', 'is not'),
      value: fc.constant('x'),
    }),
  );
  const filter: fc.Arbitrary<FilterTree> = fc.record({
    match: fc.constantFrom('all' as const, 'any' as const),
    conditions: fc.array(condition, { minLength: 1, maxLength: 3 }),
    groups: fc.constant([]),
  });
  const parameters = fc.record({
    filter: fc.option(filter, { nil: undefined }),
    columns: fc.subarray(['status', 'price', 'person']),
    displayNames: fc.boolean(),
    fullRecord: fc.boolean(),
    startBy: fc.constantFrom('subscription' as const, 'address' as const),
  });
  const keys = fc.subarray(['status', 'label', 'price', 'person', 'who']);
  fc.assert(
    fc.property(record, keys, parameters, (values, delivered, options) => {
      const whole = { id: 'r1', ...values };
      const part = Object.fromEntries(Object.entries(values).filter(([key]) => delivered.includes(key)));
      const [full, partial] = [whole, part].map((one) =>
        omit(settle(createFacts(one, options, { table }), whole).decision, 'records'),
      );
      // Without fields to keep or display names, the item holds the delivered or the read record.
      const isSame = options.columns.length > 0 || options.displayNames;
      const toShown = (one = full) => (isSame ? one : one!.action);
      expect(toShown(partial)).toEqual(toShown(full));
    }),
    { numRuns: RUNS, seed: createSeed() },
  );
});

test.each<[string, Given, object]>([
  [
    'the event',
    createFacts(WHOLE, { events: ['DELETE'] }),
    { status: 410, reason: 'the trigger does not listen to this event' },
  ],
  [
    'the record in the service',
    createFacts(WHOLE, { startBy: 'address' }, { table }),
    { status: 410, reason: 'the service has no such record' },
  ],
  [
    'the filter',
    createFacts(WHOLE, { filter: STATUS_IS_NOT_NEW }, { table }),
    { status: 200, reason: 'Received; the record does not match the filter' },
  ],
])('what is said of a delivery that is not passed on because of %s', (_, facts, expected) => {
  expect(decideOnDelivery(withForm(facts))).toMatchObject(expected);
});
