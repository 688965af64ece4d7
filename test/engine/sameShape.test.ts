import { isEqual, mapValues, omit, pick } from 'lodash';
import { chainNodes, createNode } from '../harness';
import type { StoredRecord, Table } from '../service';
import { createToolWorkflow } from './agents/tools';
import { createRecordWorkflow, pollOnce } from './polling/support';
import { runOperation } from './support/runOperation';
import { AUTO_MAP, getOutput, START, TestEnvironment, toLocator } from './support/testEnvironment';
import { createTriggerWorkflow } from './trigger/support';

/**
 * One record has one shape, whichever node returns it: each node that is exchanged for another leaves the expressions of
 * the next node as they are. Of any two nodes, the keys that both have hold the same value and stand in the same order, and
 * what happened to the record stands first.
 */

type Json = Record<string, unknown>;

interface Subject {
  table: string;
  /** The unique field, which differs for each record. */
  key: string;
  /** The name of the component that shows the table, and of its page. */
  component: [page: string, component: string];
  values: (env: TestEnvironment) => Json;
  /** A field, and the value that it has before an update. */
  before: Json;
}

const listIds = (env: TestEnvironment, table: string) => [...env.getTable(table).records.keys()];

const SUBJECTS: Subject[] = [
  {
    table: 'Orders',
    key: 'number',
    component: ['Customer Orders', 'Orders'],
    values: (env) => ({
      customer: listIds(env, 'Customers').slice(0, 1),
      products: listIds(env, 'Products').slice(0, 2),
      status: 'open',
      ordered_on: '2025-03-31',
      shipped_at: '2025-04-01 08:30:00',
      quantity: 7,
      unit_price: 2.5,
    }),
    before: { quantity: 2 },
  },
  {
    table: 'Customers',
    key: 'email',
    component: ['Customers', 'Active Customers'],
    values: (env) => ({
      name: { first_name: 'Ada', last_name: 'Byron' },
      company: 'Mill Works',
      address: { address: '1 High Street', city: 'Leeds' },
      status: 'active',
      tags: ['vip', 'export'],
      credit_limit: 1200.5,
      newsletter: 1,
      customer_since: '2025-03-31',
      account_owner: [env.service.users[0]!.id],
      notes: '',
    }),
    before: { credit_limit: 3 },
  },
];

/** What differs between two records of the same values. */
const toComparable = (item: Json, { key }: Subject): Json => ({
  ...item,
  ...mapValues(
    pick(item, ['id', 'created_at', 'updated_at', 'auto_increment', key]),
    (value) => typeof value,
  ),
});

const isOwnKey = (key: string) => key.startsWith('_');

/** Lists the keys of two items that an expression would read differently. */
function compareItems(one: Json, other: Json): unknown[] {
  const common = Object.keys(one).filter((key) => key in other && !isOwnKey(key));
  const order = Object.keys(other).filter((key) => common.includes(key));
  return [
    ...(isEqual(common, order) ? [] : [['order', common, order]]),
    ...common.filter((key) => !isEqual(one[key], other[key])).map((key) => [key, one[key], other[key]]),
  ];
}

describe.each(['documented', 'met'] as const)('%s', (profile) => {
  const env = new TestEnvironment();
  beforeAll(async () => {
    await env.start({ profile });
    if (profile === 'met') await env.setCredentialFields({ updateSends: 'changed' });
  });
  afterAll(() => env.stop());
  afterEach(() => expect(env.takeViolations()).toEqual([]));

  let count = 0;
  const createKey = ({ key }: Subject) => ({ [key]: `shape${++count}@example.com` });

  async function findComponent({ component: [pageName, componentName] }: Subject) {
    const call = async (resource: string, operation: string, more: object = {}) =>
      getOutput(await runOperation(env, 'RecordDatabasePages', { resource, operation, ...more }));
    const findIn = async (pageId: object, more: object): Promise<object | undefined> => {
      const found = (await call('component', 'getAll', { pageId, ...more })).find(
        ({ title, name }) => (title ?? name) === componentName,
      );
      return found && { pageId, ...more, componentId: toLocator(String(found.id)) };
    };
    for (const { id, name } of await call('page', 'getAll')) {
      const pageId = toLocator(String(id));
      const own = name === pageName && (await findIn(pageId, {}));
      if (own) return own;
      for (const child of await call('page', 'getChildren', { pageId })) {
        const below =
          child.name === pageName && (await findIn(pageId, { childPageId: toLocator(String(child.id)) }));
        if (below) return below;
      }
    }
    throw new Error(`There is no component ${componentName}`);
  }

  /** Each node returns a record with the values of the subject. `input` is such a record, as Get Many returned it. */
  function createSources(subject: Subject): Record<string, (input: Json) => Promise<Json | undefined>> {
    const table: Table = env.getTable(subject.table);
    const insert = (more: Json = {}): StoredRecord =>
      table.insert({ ...subject.values(env), ...createKey(subject), ...more });
    const runOne = async (operation: string, parameters: object, input?: Json) =>
      getOutput(await env.runRecordOperation(operation, table, parameters, input && [input]))[0];
    const isKey = (record: StoredRecord) => ({
      filterMode: 'json',
      filterJson: JSON.stringify({ [subject.key]: record[subject.key] }),
    });
    const byKey = { columns: { ...AUTO_MAP, matchingColumns: [subject.key] } };
    const withoutId = (input: Json) => ({ ...omit(input, 'id'), ...createKey(subject) });
    const component = async (operation: string, more: object, input: Json = {}) => {
      const all = { resource: 'component', operation, ...(await findComponent(subject)), ...more };
      const node = createNode('Node', 'n8n-nodes-record-database.recordDatabasePages', all);
      return getOutput(
        await env.engine.run(chainNodes(START, node), { input: [{ json: input }] as never }),
      )[0];
    };
    /** The item of a record that had other values before. */
    const change = async (
      write: (record: StoredRecord, given: Json) => Promise<Json | undefined>,
      input: Json,
    ) => {
      const record = insert(subject.before);
      return write(record, { ...input, id: record.id, [subject.key]: record[subject.key] });
    };
    return {
      get: () => runOne('get', { recordId: insert().id }),
      getAll: () => runOne('getAll', isKey(insert())),
      search: () => runOne('search', isKey(insert())),
      'getAll as a tool': async () => {
        const parameters = { resource: 'record', operation: 'getAll', dataTableId: toLocator(table.id) };
        const workflow = createToolWorkflow('tool', { ...parameters, ...isKey(insert()) });
        const run = await env.engine.run(workflow, { input: [{ json: {} }] });
        const [{ answer }] = run.getJson('Agent') as [{ answer: string }];
        return (JSON.parse(answer) as Json[])[0];
      },
      create: (input) => runOne('create', { columns: AUTO_MAP }, withoutId(input)),
      update: (input) =>
        change((record, given) => runOne('update', { recordId: record.id, columns: AUTO_MAP }, given), input),
      'update of nothing': (input) => {
        const record = insert();
        const given = { ...input, id: record.id, [subject.key]: record[subject.key] };
        return runOne('update', { recordId: record.id, columns: AUTO_MAP }, given);
      },
      'upsert that creates': (input) => runOne('upsert', byKey, withoutId(input)),
      'upsert that updates': (input) => change((_, given) => runOne('upsert', byKey, given), input),
      'sync that creates': (input) => runOne('sync', byKey, withoutId(input)),
      'sync that updates': (input) => change((_, given) => runOne('sync', byKey, given), input),
      'update, read in full': (input) =>
        change(
          (record, given) =>
            runOne('update', { recordId: record.id, columns: AUTO_MAP, readFullRecord: true }, given),
          input,
        ),
      'records of a component': () => component('getRecords', isKey(insert())),
      'save that creates': (input) => component('save', { columns: AUTO_MAP }, withoutId(input)),
      'save that updates': (input) =>
        change(
          (record, given) => component('save', { recordId: toLocator(record.id), columns: AUTO_MAP }, given),
          input,
        ),
      'webhook trigger': async () => {
        const trigger = await env.engine.activate(createTriggerWorkflow(env, [subject.table], ['INSERT']));
        insert();
        await env.service.waitForDeliveries();
        const [run] = await trigger.waitUntilIdle();
        await trigger.deactivate();
        return run?.getJson('Trigger')[0];
      },
      'webhook trigger, updated': async () => {
        const record = insert(subject.before);
        const trigger = await env.engine.activate(createTriggerWorkflow(env, [subject.table], ['UPDATE']));
        table.update(record.id, pick(subject.values(env), Object.keys(subject.before)));
        await env.service.waitForDeliveries();
        const [run] = await trigger.waitUntilIdle();
        await trigger.deactivate();
        return run?.getJson('Trigger')[0];
      },
      'polling trigger': async () => {
        const parameters = { triggerOn: 'recordCreatedUpdatedOrDeleted' };
        const trigger = await env.engine.activate(createRecordWorkflow(table, parameters));
        insert();
        const [item] = (await pollOnce(trigger)) ?? [];
        await trigger.deactivate();
        return item;
      },
    };
  }

  test.each(SUBJECTS)('any two nodes return a record of $table in the same shape', async (subject) => {
    const sources = createSources(subject);
    const input = (await sources.getAll!({}))!;
    const items: Array<[name: string, item: Json]> = [];
    for (const [name, read] of Object.entries(sources)) {
      const item = await read(input);
      if (!item) throw new Error(`${name} returned no item`);
      items.push([name, toComparable(item, subject)]);
    }
    const differences = items.flatMap(([name, one], index) =>
      items.slice(index + 1).flatMap(([other, item]) => {
        const found = compareItems(one, item);
        return found.length === 0 ? [] : [[`${name} / ${other}`, found]];
      }),
    );
    expect(differences).toEqual([]);
    // An item that says what happened says it first.
    const isFirst = ([, item]: [string, Json]) => {
      const at = Object.keys(item).findIndex((key) => /^_(action|event)$/.test(key));
      return at <= 0;
    };
    expect(items.filter((item) => !isFirst(item))).toEqual([]);
    // Each has most of the record: an item without keys would equal any other.
    const counts = items.map(([name, item]) => [
      name,
      Object.keys(item).filter((key) => !isOwnKey(key)).length,
    ]);
    expect(counts.filter(([, keys]) => Number(keys) < 8)).toEqual([]);
  });
});
