import { type INode, NodeHelpers } from 'n8n-workflow';
import { chainNodes, createNode } from '../../harness';
import { normaliseWorkflow, toWorkflow } from '../../harness/workflows';
import { useTestEnvironment } from '../support/useTestEnvironment';
import { TRIGGER } from './support';

const env = useTestEnvironment();

const createTrigger = (...tables: string[]) =>
  createNode('Trigger', TRIGGER, { tables: tables.map((name) => env.getTable(name).id) });

const listValues = async (json: ReturnType<typeof createTrigger>, method: string, options = {}) =>
  (await env.engine.loadOptions(json, method, options)).map(({ value }) => value);

test('lists the tables', async () => {
  expect(await listValues(createTrigger(), 'getTables')).toContain(env.getTable('Orders').id);
});

test('with wrong keys, the error of the list says why it is empty', async () => {
  const trigger = createTrigger('Orders');
  await env.setCredentialFields({ appId: 'wrong' });
  const list = env.engine.loadOptions(trigger, 'getTables');
  await expect(list).rejects.toThrow('The App ID is not known to the service');
  await env.setCredentialFields({});
});

test('the filter lists fields that all chosen tables have, the columns those that any has', async () => {
  expect(await listValues(createTrigger(), 'getFilterFields')).toEqual([]);
  expect(await listValues(createTrigger('Orders'), 'getFilterFields')).toContain('quantity|number');
  // Only the fields number and customer are the same in both tables.
  expect(await listValues(createTrigger('Orders', 'Invoices'), 'getFilterFields')).toEqual([
    'number|text',
    'customer|connection',
    'created_at|dateTime',
  ]);
  const columns = await listValues(createTrigger('Orders', 'Invoices'), 'getFields');
  expect(columns).toEqual(expect.arrayContaining(['quantity', 'paid', 'number']));
  expect(new Set(columns).size).toBe(columns.length);
});

test.each([
  [{ events: ['INSERT'] }, []],
  [{ events: ['UPDATE'] }, ['changedFields', 'updateNotice']],
  [{ events: ['INSERT', 'UPDATE'], changedFields: ['company'] }, ['changedFields']],
  [{ events: ['UPDATE'], changedFields: '={{ ["company"] }}' }, ['changedFields']],
  [{ events: ['INSERT'], startBy: 'address' }, ['addressNotice']],
])('with %j, the form shows %j', (parameters, expected) => {
  const json = createNode('Trigger', TRIGGER, parameters) as unknown as INode;
  const { description } = env.engine.nodeTypes.getByNameAndVersion(TRIGGER);
  const defaults = { events: ['INSERT'], changedFields: [], startBy: 'subscription' };
  const shown = description.properties
    .filter(({ name }) => ['changedFields', 'updateNotice', 'addressNotice'].includes(name))
    .filter((property) =>
      NodeHelpers.displayParameter({ ...defaults, ...parameters }, property, json, description),
    );
  expect(shown.map(({ name }) => name)).toEqual(expected);
});

test.each([
  ['subscription', true],
  ['address', false],
])('Start By %s: the editor hides the address of the trigger: %p', (startBy, expected) => {
  const { description } = env.engine.nodeTypes.getByNameAndVersion(TRIGGER);
  const { ndvHideUrl } = description.webhooks![0]!;
  const workflow = toWorkflow(
    normaliseWorkflow(chainNodes(createNode('Trigger', TRIGGER, { startBy })), env.engine.nodeTypes, {
      id: 'w',
      timezone: 'UTC',
    }),
    env.engine.nodeTypes,
  );
  const node = workflow.getNode('Trigger')!;
  expect(workflow.expression.getSimpleParameterValue(node, ndvHideUrl, 'internal', {})).toBe(expected);
});

test('operators that only the service can evaluate are not listed', async () => {
  const currentNodeParameters = { field: 'account_owner|user' };
  const json = createTrigger('Customers');
  const withRow = createNode('Trigger', TRIGGER, {
    ...json.parameters,
    conditions: { items: [currentNodeParameters] },
  });
  const operators = await listValues(withRow, 'getFilterOperators', {
    path: 'parameters.conditions.items[0].operator',
  });
  expect(operators).toContain('is');
  expect(operators.join()).not.toMatch(/logged in|current record/);
});

test('the filter form equals that of Get Many and depends on the chosen tables', () => {
  const { description } = env.engine.nodeTypes.getByNameAndVersion(TRIGGER);
  const text = JSON.stringify(description.properties);
  const follows = [...text.matchAll(/"loadOptionsDependsOn":(\[.*?\])/g)].map(([, list]) => list);
  expect(new Set(follows)).toEqual(new Set([expect.stringContaining('"tables"') as string, '["&field"]']));
  const listParameters = (type: string, operation?: string) =>
    env.engine.nodeTypes
      .getByNameAndVersion(type)
      .description.properties.filter(
        ({ displayOptions }) => !operation || displayOptions?.show?.operation?.includes(operation),
      )
      .map(({ name }) => name);
  const form = ['filterMode', 'match', 'conditions', 'groups', 'filterJson'];
  expect(listParameters(TRIGGER)).toEqual(expect.arrayContaining(form));
  expect(listParameters('n8n-nodes-record-database.recordDatabase', 'getAll')).toEqual(
    expect.arrayContaining(form),
  );
});

test('the panel shows an example event', () => {
  const { triggerPanel, eventTriggerDescription } =
    env.engine.nodeTypes.getByNameAndVersion(TRIGGER).description;
  // Without it, n8n asks on the canvas to "create an event in Record Database".
  expect(eventTriggerDescription).toBe('Waiting for you to change a record in the service');
  const { inactive } = (triggerPanel as { executionsHelp: { inactive: string } }).executionsHelp;
  const sample = JSON.parse(/<code>(.*)<\/code>/.exec(inactive)![1]!) as object;
  expect(Object.keys(sample)).toEqual(['_event', '_table', 'id', 'company', 'created_at']);
});
