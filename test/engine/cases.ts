import type { INodeProperties } from 'n8n-workflow';
import { actionNodes } from '../operations';
import type { Operation, Resource } from '../../nodes/shared/kit/operation';
import { chain, node } from '../harness';
import { byId, columns, outputOf, START, type World } from './support';

/** One run of an operation: its node's type and the parameters. */
export interface Case {
  name: string;
  type: string;
  parameters: Record<string, unknown>;
  operation: Operation;
}

export const typeOf = (folder: string) =>
  `n8n-nodes-record-database.${folder.charAt(0).toLowerCase()}${folder.slice(1)}`;

/** Runs one operation of a node on one item, which may bring a file. */
export function runOperation(
  world: World,
  folder: string,
  parameters: object,
  input: object[] = [{ json: {} }],
  extra: object = {},
) {
  return world.engine.run(chain(START, node('Node', typeOf(folder), parameters, extra)), {
    input: input as never,
  });
}

async function firstOf(world: World, folder: string, parameters: object, key = 'id'): Promise<string> {
  const [entry] = outputOf(await runOperation(world, folder, parameters));
  return String(entry?.[key]);
}

/** Ids of the sample application, found the way a user finds them: by listing. */
export async function sampleIds(world: World): Promise<Record<string, string>> {
  const [pages, files, pdf] = [
    'RecordDatabasePages',
    'RecordDatabaseImportExport',
    'RecordDatabasePdf',
  ] as const;
  const listed = outputOf(await runOperation(world, pages, { resource: 'page', operation: 'getAll' }));
  const pageId = String(listed.find(({ name }) => name === 'Customers')!.id);
  const run = (resource: string, more: object) =>
    firstOf(world, files, { resource, operation: 'run', ...more }, 'queue_id');
  const importId = await firstOf(world, files, { resource: 'import', operation: 'getAll' });
  const templateId = await firstOf(world, files, { resource: 'export', operation: 'getAllTemplates' });
  const tasks = 'RecordDatabaseTasks';
  const taskId = await firstOf(world, tasks, { resource: 'task', operation: 'getAll' }, 'task_id');
  const automationId = world.service.automations[0]!.id;
  const started = (noun: string, id: string) =>
    firstOf(world, tasks, { resource: noun, operation: 'run', [`${noun}Id`]: byId(id) }, `${noun}_queue_id`);
  const source = { source: 'dataSource', dataSource: 'Company\r\nExample' };
  return {
    pageId,
    componentId: await firstOf(world, pages, {
      resource: 'component',
      operation: 'getAll',
      pageId: byId(pageId),
    }),
    childId: await firstOf(world, pages, {
      resource: 'page',
      operation: 'getChildren',
      pageId: byId(pageId),
    }),
    importId,
    templateId,
    importQueue: await run('import', { importId: byId(importId), ...source }),
    exportQueue: await run('export', { templateId: byId(templateId) }),
    taskId,
    automationId,
    taskQueueId: await started('task', taskId),
    automationQueueId: await started('automation', automationId),
    pdfPageId: await firstOf(world, pdf, { resource: 'pdfPage', operation: 'getAll' }),
    pdfFormId: await firstOf(world, pdf, { resource: 'pdfForm', operation: 'getAll' }),
  };
}

const FILTER = {
  filterMode: 'manual',
  conditions: { items: [{ field: 'company|text', operator: 'is not blank' }] },
};
const SYMBOLIC = { symbolicConditions: { items: [{ field: 'company|text', condition: 'notBlank' }] } };

/** Customers must have an e-mail address of their own. */
const newCustomer = (name: string) =>
  columns({ company: 'Contract Works', email: `${name}@example.com` }, ['email']);

/** Parameters that one run of an operation does not show: `resource operation` with more runs of it. */
const MORE: Record<string, object[]> = {
  'record getAll': [FILTER],
  'record count': [FILTER],
  'record search': [SYMBOLIC],
  'record batchUpdate': [SYMBOLIC],
  'record batchUpdateCheck': [SYMBOLIC],
  'field getAll': [{ details: 'basic' }],
  'formula recalculateField': [{ force: true }, { fieldBy: 'id' }, { fieldBy: 'id', force: true }],
  'component getRecords': [FILTER],
  'component save': [{ recordId: '', columns: newCustomer('save') }],
  'record create': [{ columns: newCustomer('create') }],
  'record upsert': [{ columns: newCustomer('upsert') }, { columns: newCustomer('upsert') }],
};

/** Of these the plain run is left out: without a condition or an e-mail address they rightly refuse to run. */
const REFUSED_PLAIN = new Set([
  'record batchUpdate',
  'record batchUpdateCheck',
  'record create',
  'record upsert',
]);

/** Values for parameters that must be given, by name; a table's worth of the sample application. */
function valuesFor(world: World, ids: Record<string, string>, resource: string): Record<string, unknown> {
  const customers = world.table('Customers');
  const invoices = world.table('Invoices');
  const formula = world.service.tables
    .flatMap(({ fields }) => fields)
    .find(({ type }) => type === 'Formula')!;
  const owner = resource === 'pdfPage' ? invoices : customers;
  const [recordId] = [...owner.records.keys()];
  return {
    ...Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, byId(id)])),
    taskQueueId: ids.taskQueueId,
    automationQueueId: ids.automationQueueId,
    queueId: byId(String(resource === 'import' ? ids.importQueue : ids.exportQueue)),
    childIds: [ids.childId],
    dataTableId: byId(customers.id),
    recordId,
    columns: resource === 'export' ? ['company'] : columns({ company: 'Contract Works' }),
    fieldSlug: byId(formula.slug),
    fieldId: byId(formula.fieldId),
    email: world.service.user.email,
    password: world.service.user.password,
    hookUrl: 'https://example.com/hook',
    dataMode: 'json',
    dataJson: '{"company": "Example"}',
    maximum: 100_000,
    wait: true,
    download: true,
    options: {},
    layout: '',
  };
}

/** Each operation of each node once, and once more for every further way of calling the service. */
export function casesFor(world: World, ids: Record<string, string>): Case[] {
  const forOperation = (folder: string, { name: resource }: Resource, operation: Operation): Case[] => {
    const key = `${resource} ${operation.name}`;
    const given = valuesFor(world, ids, resource);
    const known = (operation.parameters ?? []).flatMap(({ name }: INodeProperties) =>
      name in given ? [[name, given[name]] as const] : [],
    );
    const base = { ...Object.fromEntries(known), resource, operation: operation.name };
    const plain = REFUSED_PLAIN.has(key) ? [] : [{}];
    const emptied = key === 'page getChildren' ? [{ childIds: [] }] : [];
    return [...plain, ...(MORE[key] ?? []), ...emptied].map((more) => ({
      name: `${folder} ${key} ${JSON.stringify(more)}`,
      type: folder,
      parameters: { ...base, ...more },
      operation,
    }));
  };
  return actionNodes().flatMap(({ folder, resources }) =>
    resources.flatMap((resource) =>
      resource.operations.flatMap((operation) => forOperation(folder, resource, operation)),
    ),
  );
}
