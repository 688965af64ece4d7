/* eslint-disable @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, no-console -- not shipped: runs on Node */
/**
 * `npm run store:workflows`: saves a workflow of every operation to test/workflows/<version>, as n8n's editor saves
 * it. A workflow that is stored is not written again: later versions must still run it as it was saved.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { INode, INodeParameters } from 'n8n-workflow';
import { version } from '../package.json';
import { createObject, withNeededObject } from '../test/engine/support/neededObjects';
import { type ContractCase, createContractCases, toNodeType } from '../test/engine/support/runOperation';
import { START, TestEnvironment } from '../test/engine/support/testEnvironment';
import { chainNodes, createNode } from '../test/harness';
import {
  listSampleIds,
  mapTexts,
  runStoredWorkflow,
  selectSavedParameters,
  type StoredWorkflow,
} from '../test/workflows/storedWorkflows';

type Parameters = Record<string, unknown>;

const FOLDER = join(__dirname, '..', 'test', 'workflows', version);

/** Adds the columns' schema, which the editor saves beside the values. */
async function withSchema(env: TestEnvironment, type: string, parameters: Parameters): Promise<Parameters> {
  const columns = parameters.columns as object | undefined;
  if (!columns || !('mappingMode' in columns)) return parameters;
  const { fields: schema } = await env.engine.getResourceMapperFields(
    createNode('Node', type, parameters),
    'getColumns',
    { path: 'parameters.columns' },
  );
  return { ...parameters, columns: { ...columns, schema } };
}

async function createWorkflow(
  env: TestEnvironment,
  { type: folder, operation, resource, parameters }: ContractCase,
): Promise<StoredWorkflow> {
  const type = toNodeType(folder);
  const node = {
    id: `${resource}-${operation.name}`,
    name: operation.action,
    type,
    typeVersion: 1,
    position: [220, 0],
    parameters: (await withSchema(env, type, parameters)) as INodeParameters,
    credentials: { recordDatabaseApi: { id: 'recordDatabaseApi', name: 'Record Database account' } },
  } satisfies INode;
  const start = { ...START, id: 'start', typeVersion: 1, position: [0, 0] };
  const saved = { ...node, parameters: selectSavedParameters(env, node) };
  return {
    name: operation.action,
    ...chainNodes(start, saved),
    settings: { executionOrder: 'v1' },
    meta: { endpoints: [] },
  };
}

/** Runs the workflow and returns the endpoints that it called. @throws when it fails */
async function listEndpoints(env: TestEnvironment, workflow: StoredWorkflow): Promise<string[]> {
  const { run, endpoints } = await runStoredWorkflow(env, workflow);
  if (run.error) throw new Error(`${workflow.name}: ${run.error.message}`);
  return endpoints;
}

async function storeCase(env: TestEnvironment, names: Map<string, string>, one: ContractCase, file: string) {
  const parameters = await withNeededObject(one.parameters, async (name) => {
    const id = await createObject(env, name);
    names.set(id, `<${name}>`);
    return id;
  });
  const workflow = await createWorkflow(env, { ...one, parameters });
  workflow.meta.endpoints = await listEndpoints(env, workflow);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(mapTexts(workflow, (inner) => names.get(inner) ?? inner)));
}

async function storeWorkflows(env: TestEnvironment): Promise<number> {
  const ids = await listSampleIds(env);
  const names = new Map(Object.entries(ids).map(([name, id]) => [id, `<${name}>`]));
  const cases = createContractCases(env, ids);
  const counts = new Map<string, number>();
  let stored = 0;
  for (const one of cases) {
    const base = `${one.type}/${one.resource}.${one.operation.name}`;
    const count = (counts.get(base) ?? 0) + 1;
    counts.set(base, count);
    const file = join(FOLDER, `${base}${count > 1 ? `.variant${count}` : ''}.json`);
    if (existsSync(file)) continue;
    await storeCase(env, names, one, file);
    stored++;
  }
  return stored;
}

async function main(): Promise<void> {
  const env = await TestEnvironment.start();
  try {
    console.log(`Stored ${await storeWorkflows(env)} new workflows of version ${version}`);
    execFileSync('npx', ['--no-install', 'oxfmt', FOLDER]);
  } finally {
    await env.stop();
  }
}

void main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
