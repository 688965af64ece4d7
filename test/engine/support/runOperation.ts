import type { INodeProperties } from 'n8n-workflow';
import type { Operation, Resource } from '../../../nodes/n8n/operation/operation';
import { chainNodes, createNode } from '../../harness/workflowBuilder';
import { loadActionNodes } from '../../operations';
import type { RecordedRequest } from '../../service/http/recorder';
import { START, type TestEnvironment, getOutput, toColumns, toLocator } from './testEnvironment';

/** One run of an operation: the folder of its node, and the parameters. */
export interface ContractCase {
  name: string;
  type: string;
  resource: string;
  parameters: Record<string, unknown>;
  operation: Operation;
}

/** A file for the operations that upload one. */
const CSV_FILE = {
  data: {
    data: Buffer.from('Company\r\nExample\r\n').toString('base64'),
    mimeType: 'text/csv',
    fileName: 'c.csv',
  },
};

/** An input item for every operation: values of a new customer, and a file. */
export const INPUT_ITEM = {
  // What Undo takes: a record that a run has deleted.
  json: { _action: 'deleted', id: 'x9Unknown0', company: 'Contract Works', email: 'item@example.com' },
  binary: CSV_FILE,
};

const RECORDS = 'POST /api/v1/data-tables/{dataTableId}/records';

/** `METHOD /pattern`. The two endpoints of POST on records differ in their body. */
export const formatCalledEndpoint = ({ pattern, intent, path }: RecordedRequest): string =>
  pattern === RECORDS ? `${pattern} ${intent}` : pattern || `undocumented ${path}`;

export const toNodeType = (folder: string) =>
  `n8n-nodes-record-database.${folder.charAt(0).toLowerCase()}${folder.slice(1)}`;

/** Runs one operation of a node on one item, which may contain a file. */
export function runOperation(
  env: TestEnvironment,
  folder: string,
  parameters: object,
  input: object[] = [{ json: {} }],
  extra: object = {},
) {
  return env.engine.run(chainNodes(START, createNode('Node', toNodeType(folder), parameters, extra)), {
    input: input as never,
  });
}

async function getFirstId(
  env: TestEnvironment,
  folder: string,
  parameters: object,
  key = 'id',
): Promise<string> {
  const [entry] = getOutput(await runOperation(env, folder, parameters));
  return String(entry?.[key]);
}

/** Ids of the sample application, read from the lists that a user sees. */
export async function findSampleIds(env: TestEnvironment): Promise<Record<string, string>> {
  const [pages, files, pdf] = [
    'RecordDatabasePages',
    'RecordDatabaseImportExport',
    'RecordDatabasePdf',
  ] as const;
  const listed = getOutput(await runOperation(env, pages, { resource: 'page', operation: 'getAll' }));
  const pageId = String(listed.find(({ name }) => name === 'Customers')!.id);
  const startQueue = (resource: string, more: object) =>
    getFirstId(env, files, { resource, operation: 'run', wait: false, ...more }, 'queue_id');
  const importId = await getFirstId(env, files, { resource: 'import', operation: 'getAll' });
  const templateId = await getFirstId(env, files, { resource: 'export', operation: 'getAll' });
  const tasks = 'RecordDatabaseTasks';
  const taskId = await getFirstId(env, tasks, { resource: 'task', operation: 'getAll' }, 'task_id');
  const automationId = env.service.automations[0]!.id;
  const startRun = (noun: string, id: string) =>
    getFirstId(
      env,
      tasks,
      { resource: noun, operation: 'run', [`${noun}Id`]: toLocator(id) },
      `${noun}_queue_id`,
    );
  const source = { source: 'dataSource', dataSource: 'Company\r\nExample' };
  return {
    pageId,
    componentId: await getFirstId(env, pages, {
      resource: 'component',
      operation: 'getAll',
      pageId: toLocator(pageId),
    }),
    childId: await getFirstId(env, pages, {
      resource: 'page',
      operation: 'getChildren',
      pageId: toLocator(pageId),
    }),
    importId,
    templateId,
    importQueue: await startQueue('import', { importId: toLocator(importId), ...source }),
    exportQueue: await startQueue('export', { templateId: toLocator(templateId) }),
    taskId,
    automationId,
    taskQueueId: await startRun('task', taskId),
    automationQueueId: await startRun('automation', automationId),
    pdfPageId: await getFirstId(env, pdf, { resource: 'pdfPage', operation: 'getAll' }),
    pdfFormId: await getFirstId(env, pdf, { resource: 'pdfForm', operation: 'getAll' }),
  };
}

const FILTER = {
  filterMode: 'manual',
  conditions: { items: [{ field: 'company|text', operator: 'is not blank' }] },
};
/** One of several conditions, which a list by GET cannot say. */
const EITHER = {
  filterMode: 'any',
  conditions: {
    items: ['is blank', 'is not blank'].map((operator) => ({ field: 'company|text', operator })),
  },
};
/** Matches no record of the sample application, because later cases need them. */
const NO_MATCH = {
  filterMode: 'manual',
  conditions: { items: [{ field: 'company|text', operator: 'is exact', value: 'Nobody' }] },
};
const SYMBOLIC = { conditions: { items: [{ field: 'company|text', operator: 'is not blank' }] } };

/** Customers must have an e-mail address of their own. */
const createCustomerColumns = (name: string, company = 'Contract Works') =>
  toColumns({ company, email: `${name}@example.com` }, ['email']);

/** Matches the customer that an earlier case created. */
const createCustomerFilter = (name: string) => ({
  filterMode: 'manual',
  conditions: { items: [{ field: 'email|email', operator: 'is exact', value: `${name}@example.com` }] },
});

/** A formula field of the sample application, by its slug. */
const SLUG = { __rl: true, mode: 'slug', value: 'total' };

/** Further runs of an operation with parameters that its plain run does not cover, by `resource operation`. */
const EXTRA_PARAMETERS: Record<string, object[]> = {
  'record getAll': [FILTER, EITHER],
  'record count': [FILTER],
  'record lookUp': [{ columns: createCustomerColumns('create') }],
  'record undo': [{ dryRun: false }],
  'record batchUpdate': [SYMBOLIC],
  'record deleteMany': [NO_MATCH, createCustomerFilter('create'), FILTER].map((one) => ({
    ...one,
    dryRun: one === FILTER,
  })),
  'record sync': [
    { columns: createCustomerColumns('sync'), readFullRecord: true },
    {
      columns: createCustomerColumns('sync', 'Contract Works Ltd'),
      deleteMissing: true,
      maximumDeletions: '100%',
      ...NO_MATCH,
    },
    {
      columns: createCustomerColumns('other'),
      deleteMissing: true,
      maximumDeletions: '100%',
      ...createCustomerFilter('sync'),
    },
  ],
  'field getAll': [{ details: 'basic' }],
  'formula recalculate': [
    { options: { force: true } },
    { fieldId: SLUG },
    { fieldId: SLUG, options: { force: true } },
    { scope: 'table' },
    { scope: 'all' },
  ],
  'log getAll': [
    'blockedIps',
    'blockedUsers',
    'builderActivities',
    'emails',
    'failedLogins',
    'pageViews',
    'sessions',
  ].map((log) => ({ log })),
  'task getRuns': [{ which: 'finished' }, { which: 'ofOne' }, { which: 'oneRun' }],
  'automation getRuns': [{ which: 'finished' }, { which: 'ofOne' }, { which: 'oneRun' }],
  'task stop': [{ which: 'allRuns' }],
  'automation stop': [{ which: 'allRuns' }],
  'import getRuns': [{ which: 'oneRun' }, { which: 'progress' }],
  'export getRuns': [{ which: 'oneRun' }],
  'export getAll': [{ options: { list: 'exports' } }],
  'webhook getAll': [{ dataTableId: toLocator('') }],
  'component getRecords': [FILTER, EITHER],
  'component save': [{ recordId: '', columns: createCustomerColumns('save') }],
  'import runItems': [{ columns: createCustomerColumns('import') }],
  'record create': [{ columns: createCustomerColumns('create') }],
  'record upsert': [
    { columns: createCustomerColumns('upsert') },
    { columns: createCustomerColumns('upsert') },
    { columns: createCustomerColumns('upsert', 'Contract Works Ltd') },
  ],
};

/** Operations without a plain run, because they refuse to run without a condition or an e-mail address. */
const REFUSED_PLAIN = new Set([
  'import runItems',
  'record batchUpdate',
  'record create',
  'record deleteMany',
  'record lookUp',
  'record sync',
  'record upsert',
]);

/** Values from the sample application for required parameters, by parameter name. */
function createValues(
  env: TestEnvironment,
  ids: Record<string, string>,
  resource: string,
): Record<string, unknown> {
  const customers = env.getTable('Customers');
  const invoices = env.getTable('Invoices');
  const formula = env.service.tables.flatMap(({ fields }) => fields).find(({ type }) => type === 'Formula')!;
  const owner = resource === 'pdfPage' ? invoices : customers;
  const [recordId] = [...owner.records.keys()];
  return {
    ...Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, toLocator(id)])),
    taskQueueId: ids.taskQueueId,
    automationQueueId: ids.automationQueueId,
    queueId: toLocator(String(resource === 'import' ? ids.importQueue : ids.exportQueue)),
    childIds: [ids.childId],
    dataTableId: toLocator(customers.id),
    recordId,
    columns: toColumns({ company: 'Contract Works' }),
    fieldId: toLocator(formula.fieldId),
    email: env.service.user.email,
    password: env.service.user.password,
    hookUrl: 'https://example.com/hook',
    dataMode: 'json',
    dataJson: '{"company": "Example"}',
    maximum: 100_000,
    wait: true,
    download: true,
    options: {},
  };
}

/** Each operation of each node once, plus one run for each further way of calling the service. */
export function createContractCases(env: TestEnvironment, ids: Record<string, string>): ContractCase[] {
  const createOperationCases = (
    folder: string,
    { name: resource }: Resource,
    operation: Operation,
  ): ContractCase[] => {
    const key = `${resource} ${operation.name}`;
    const given = createValues(env, ids, resource);
    const known = (operation.parameters ?? []).flatMap(({ name }: INodeProperties) =>
      name in given ? [[name, given[name]] as const] : [],
    );
    // The sample import has rows with errors.
    const ends = known.some(([name]) => name === 'wait') && {
      options: { ifFails: 'return', ...(resource === 'export' && { columns: ['company'] }) },
    };
    const base = { ...Object.fromEntries(known), ...ends, resource, operation: operation.name };
    const plain = REFUSED_PLAIN.has(key) ? [] : [{}];
    const emptied = key === 'page getChildren' ? [{ childIds: [] }] : [];
    return [...plain, ...(EXTRA_PARAMETERS[key] ?? []), ...emptied].map((more) => ({
      name: `${folder} ${key} ${JSON.stringify(more)}`,
      type: folder,
      resource,
      parameters: { ...base, ...more },
      operation,
    }));
  };
  return loadActionNodes().flatMap(({ folder, resources }) =>
    resources.flatMap((resource) =>
      resource.operations.flatMap((operation) => createOperationCases(folder, resource, operation)),
    ),
  );
}
