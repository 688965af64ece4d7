/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type INode, type INodeParameters, NodeHelpers } from 'n8n-workflow';
import { findSampleIds, formatCalledEndpoint, INPUT_ITEM } from '../engine/support/runOperation';
import type { TestEnvironment } from '../engine/support/testEnvironment';
import type { Run, WorkflowJson } from '../harness';

/** A workflow as n8n saves it. `meta.endpoints` lists what it called when it was stored. */
export interface StoredWorkflow extends WorkflowJson {
  name: string;
  meta: { endpoints: string[] };
}

const isFolder = (name: string) => /^\d+\.\d+\.\d+$/.test(name);

/** The versions of the package whose workflows are stored. */
export const listVersions = (): string[] => readdirSync(__dirname).filter(isFolder).sort();

/** Paths of the workflows of one version, relative to its folder. */
export const listStoredWorkflows = (version: string): string[] =>
  readdirSync(join(__dirname, version), { recursive: true })
    .map(String)
    .filter((path) => path.endsWith('.json'))
    .sort();

/** Names for the IDs of the sample data. A stored workflow holds `<name>` instead of an ID, which changes. */
export async function listSampleIds(env: TestEnvironment): Promise<Record<string, string>> {
  const tables = env.service.tables.map(({ name, id }) => [`table ${name}`, id]);
  const records = ['Customers', 'Invoices'].map((name) => [
    `record of ${name}`,
    [...env.getTable(name).records.keys()][0]!,
  ]);
  return { ...(await findSampleIds(env)), ...Object.fromEntries([...tables, ...records]) };
}

/** Maps every text in a JSON value. */
export const mapTexts = <T>(value: T, map: (text: string) => string): T =>
  JSON.parse(JSON.stringify(value), (_key, inner: unknown) =>
    typeof inner === 'string' ? map(inner) : inner,
  ) as T;

/** Reads a stored workflow with the IDs of this sample data. */
export async function readStoredWorkflow(
  version: string,
  path: string,
  findId: (name: string) => Promise<string>,
): Promise<StoredWorkflow> {
  const text = readFileSync(join(__dirname, version, path), 'utf8');
  const names = new Set([...text.matchAll(/"<([^<>"]+)>"/g)].map(([, name]) => name as string));
  const ids = new Map<string, string>();
  for (const name of names) ids.set(`<${name}>`, await findId(name));
  return mapTexts(JSON.parse(text) as StoredWorkflow, (inner) => ids.get(inner) ?? inner);
}

const FIELDS = 'GET /api/v1/data-tables/{dataTableId}/full-fields-info';

/** Workflows that write nothing if the record has the values already, as the workflows before them may have left it. */
const WRITES_A_RECORD = ['record update', 'component save'];

function changeRecordsBefore(env: TestEnvironment, { nodes: [, node] }: WorkflowJson): void {
  // The resource of a new node is not saved.
  const { resource = 'record', operation } = node!.parameters as INodeParameters;
  if (!WRITES_A_RECORD.includes(`${String(resource)} ${String(operation)}`)) return;
  for (const record of env.getTable('Customers').records.values()) record.company = 'Before';
}

/** Runs a workflow and lists the endpoints that it called. The fields of a table are cached, so they do not count. */
export async function runStoredWorkflow(
  env: TestEnvironment,
  workflow: WorkflowJson,
): Promise<{ run: Run; endpoints: string[] }> {
  changeRecordsBefore(env, workflow);
  const before = env.service.requests.length;
  const run = await env.engine.run(workflow, { input: [INPUT_ITEM] as never });
  const called = new Set(env.service.requests.slice(before).map(formatCalledEndpoint));
  return { run, endpoints: [...called].filter((endpoint) => endpoint !== FIELDS).sort() };
}

/** Keeps what the editor saves: parameters that the form has and shows, and that differ from their defaults. */
export function selectSavedParameters(env: TestEnvironment, node: INode): INodeParameters {
  const { description } = env.engine.nodeTypes.getByNameAndVersion(node.type, node.typeVersion);
  const { properties } = description;
  return NodeHelpers.getNodeParameters(properties, node.parameters, false, false, node, description) ?? {};
}
