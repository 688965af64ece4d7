import { omit, pick } from 'lodash';
import { createNode, type NodeJson, type WorkflowJson } from '../../harness';
import type { ActiveTrigger } from '../../harness/webhooks/activeTrigger';
import type { StoredRecord, Table } from '../../service';
import { POLLING_TRIGGER } from '../polling/support';
import { TRIGGER } from '../trigger/support';
import { runOperation } from './runOperation';
import { AUTO_MAP, getOutput, type TestEnvironment, toLocator, TYPE } from './testEnvironment';

/**
 * Every way in which a node returns a record with given values, as nodes that can stand in a workflow. `createWays` lists
 * them for a subject, `runWay` runs a workflow with one of them.
 */

export type Json = Record<string, unknown>;

/** A table, and the values that a record of it has. */
export interface Subject {
  table: string;
  /** A field that differs for each record; unique, if the table has such a field. */
  key: string;
  /** The name of the component that shows the table, and of its page. */
  component?: [page: string, component: string];
  values: (env: TestEnvironment) => Json;
  /** A field, and the value that it has before an update. */
  before: Json;
}

const listIds = (env: TestEnvironment, table: string) => [...env.getTable(table).records.keys()];

export const SUBJECTS: Subject[] = [
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
      phone: '+1 555 0100',
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
  {
    table: 'Invoices',
    key: 'number',
    values: (env) => ({
      sales_order: listIds(env, 'Orders').slice(0, 1),
      customer: listIds(env, 'Customers').slice(0, 1),
      issued_on: '2025-03-31',
      due_on: '2025-04-30',
      amount: 99.95,
      paid: 0,
    }),
    before: { amount: 1 },
  },
  {
    table: 'Rows to Correct',
    key: 'email',
    values: () => ({ company: 'Paper & Pens', credit_limit: '900', reason: 'No address', corrected: 1 }),
    before: { corrected: 0 },
  },
  {
    table: 'First Contact',
    key: 'title',
    values: () => ({ note: 'kept?' }),
    before: { note: 'another' },
  },
];

/** One way to return a record. */
export interface Way {
  /** Nodes in a row. The last one returns the record. */
  nodes: NodeJson[];
  /** A tool of the first node. */
  tool?: NodeJson;
  /** The record comes from no item of the input. */
  isUnpaired?: true;
  /** Of a trigger: makes the change that it waits for. */
  happen?: (trigger: ActiveTrigger) => Promise<unknown>;
}

/** Creates the nodes, and the records that they need. */
type CreateWay = () => Way | Promise<Way>;

type Form = 'slugs' | 'names' | 'off';

/** An item for the next node, whatever arrives. */
const give = (json: Json): NodeJson =>
  createNode('Given', 'n8n-nodes-base.set', { mode: 'raw', jsonOutput: JSON.stringify(json) });

/** Returns what is under an expression, as a user does it with Edit Fields. */
const takeOut = (expression: string): NodeJson =>
  createNode('Record', 'n8n-nodes-base.set', { mode: 'raw', jsonOutput: `={{ ${expression} }}` });

let count = 0;

/** A value of the key that no record has. */
const createKey = ({ key }: Subject) => ({ [key]: `shape${++count}@example.com` });

/** The parameters that find a component by the names of its page and itself, also on a child page. */
async function findComponent(env: TestEnvironment, [pageName, componentName]: [string, string]) {
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
      const childPageId = toLocator(String(child.id));
      const below = child.name === pageName && (await findIn(pageId, { childPageId }));
      if (below) return below;
    }
  }
  throw new Error(`There is no component ${componentName}`);
}

/** Lists the ways to return a record of the subject. Each call of one returns another record with the same values. */
export async function createWays(
  env: TestEnvironment,
  subject: Subject,
  form: Form = 'slugs',
): Promise<Record<string, CreateWay>> {
  const { key } = subject;
  const table: Table = env.getTable(subject.table);
  const dataTableId = toLocator(table.id);
  const all = () => ({ ...subject.values(env), ...createKey(subject) });
  const insert = (more: Json = {}): StoredRecord => table.insert({ ...all(), ...more });
  const node = (operation: string, parameters: object) =>
    createNode('Node', TYPE, { resource: 'record', operation, dataTableId, simplify: form, ...parameters });
  const findBy = (record: StoredRecord) => ({
    filterMode: 'json',
    filterJson: JSON.stringify({ [key]: record[key] }),
  });
  const { name: keyName } = table.fields.find(({ slug }) => slug === key)!;
  /** The key of the item: records have it by slug or by name. */
  const itemKey = form === 'names' ? keyName : key;
  /** A record, as Get Many returns it. Each write gets its values. */
  const [input] = getOutput(
    await env.runRecordOperation('getAll', table, { simplify: form, ...findBy(insert()) }),
  );
  const newItem = () => ({ ...omit(input, 'id'), [itemKey]: createKey(subject)[key] });
  const itemOf = ({ id, ...record }: StoredRecord) => ({ ...input, id, [itemKey]: record[key] });
  const byKey = { columns: { ...AUTO_MAP, matchingColumns: [key] } };
  const auto = { columns: AUTO_MAP };
  const before = () => insert(subject.before);
  const [changedSlug] = Object.keys(subject.before) as [string];
  const changedKey =
    form === 'names' ? table.fields.find(({ slug }) => slug === changedSlug)!.name : changedSlug;

  const read = (operation: string, more: object = {}) => ({
    nodes: [node(operation, { ...findBy(insert()), ...more })],
  });
  const write = (operation: string, item: Json, parameters: object): Way => ({
    nodes: [give(item), node(operation, parameters)],
  });
  const change = (operation: string, parameters: (record: StoredRecord) => object): Way => {
    const record = before();
    return write(operation, itemOf(record), parameters(record));
  };
  const trigger = (events: string[], happen: () => unknown): Way => ({
    nodes: [
      createNode(
        'Node',
        TRIGGER,
        { tables: [table.id], events, output: form === 'names' ? 'namedRecord' : 'record' },
        { webhookId: 'w1' },
      ),
    ],
    happen: async () => {
      happen();
      await env.service.waitForDeliveries();
    },
  });
  const component = subject.component && (await findComponent(env, subject.component));
  const inComponent = (operation: string, more: object) =>
    createNode('Node', `${TYPE}Pages`, {
      resource: 'component',
      operation,
      simplify: form,
      ...component,
      ...more,
    });

  return {
    get: () => ({ nodes: [node('get', { recordId: insert().id })] }),
    getAll: () => read('getAll'),
    'look up': () => ({
      nodes: [
        node('lookUp', {
          columns: { ...AUTO_MAP, mappingMode: 'defineBelow', value: { [key]: insert()[key] } },
        }),
        takeOut('$json.record'),
      ],
    }),
    // A tool returns slugs.
    ...(form === 'slugs' && {
      'getAll as a tool': () => ({
        nodes: [createNode('Agent', 'n8n-nodes-base.toolCaller'), takeOut('JSON.parse($json.answer)[0]')],
        tool: createNode('Tool', `${TYPE}Tool`, {
          resource: 'record',
          operation: 'getAll',
          dataTableId,
          ...findBy(insert()),
        }),
      }),
    }),
    create: () => write('create', newItem(), auto),
    'create, read in full': () => write('create', newItem(), { ...auto, readFullRecord: true }),
    update: () => change('update', ({ id }) => ({ ...auto, recordId: id })),
    'update, read in full': () =>
      change('update', ({ id }) => ({ ...auto, recordId: id, readFullRecord: true })),
    'update of nothing': () => {
      const record = insert();
      return write('update', itemOf(record), { ...auto, recordId: record.id });
    },
    'upsert that creates': () => write('upsert', newItem(), byKey),
    'upsert that updates': () => change('upsert', () => byKey),
    'sync that creates': () => write('sync', newItem(), byKey),
    'sync that updates': () => change('sync', () => byKey),
    'sync that deletes': () => ({
      isUnpaired: true,
      // The item of another record, which is equal.
      nodes: [
        give({ [itemKey]: insert()[key] }),
        node('sync', { ...byKey, deleteMissing: true, maximumDeletions: '1', ...findBy(insert()) }),
      ],
    }),
    'batch update': () =>
      read('batchUpdate', {
        ...findBy(before()),
        columns: {
          ...AUTO_MAP,
          mappingMode: 'defineBelow',
          value: pick(subject.values(env), changedSlug),
        },
        options: { returnOldRecords: true },
      }),
    'delete many': () => read('deleteMany', { dryRun: false }),
    'undo of an update': () => {
      const record = before();
      const now = { ...itemOf(record), [changedKey]: subject.before[changedSlug] };
      const change = { _action: 'updated', _before: pick(input, changedKey), ...now };
      return write('undo', change, { dryRun: false });
    },
    'undo of a deletion': () =>
      write('undo', { _action: 'deleted', ...newItem(), id: 'A1b2C3d4E5' }, { dryRun: false }),
    ...(component && {
      'records of a component': () => ({ nodes: [inComponent('getRecords', findBy(insert()))] }),
      'save that creates': () => ({ nodes: [give(newItem()), inComponent('save', auto)] }),
      'save that updates': () => {
        const record = before();
        const parameters = { ...auto, recordId: toLocator(record.id) };
        return { nodes: [give(itemOf(record)), inComponent('save', parameters)] };
      },
    }),
    'webhook trigger': () => trigger(['INSERT'], insert),
    'webhook trigger, updated': () => {
      const { id } = before();
      return trigger(['UPDATE'], () => table.update(id, pick(subject.values(env), changedSlug)));
    },
    'webhook trigger, deleted': () => {
      const { id } = insert();
      return trigger(['DELETE'], () => table.delete(id));
    },
    'polling trigger': () => ({
      nodes: [
        createNode('Node', POLLING_TRIGGER, {
          pollTimes: { item: [{ mode: 'everyHour', minute: 0 }] },
          dataTableId,
          triggerOn: 'recordCreatedUpdatedOrDeleted',
          output: form === 'names' ? 'namedRecord' : 'record',
        }),
      ],
      happen: async (active) => {
        insert();
        await active.poll();
      },
    }),
  };
}

/** Runs a workflow that holds the nodes of a way. */
export async function runWay({ engine }: TestEnvironment, { happen }: Way, workflow: WorkflowJson) {
  if (!happen) return engine.run(workflow);
  const active = await engine.activate(workflow);
  try {
    await happen(active);
    const [run] = await active.waitUntilIdle();
    if (!run) throw new Error('The trigger did not start the workflow');
    return run;
  } finally {
    await active.deactivate();
  }
}
