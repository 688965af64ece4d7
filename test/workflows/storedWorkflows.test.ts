import type { INode } from 'n8n-workflow';
import { version } from '../../package.json';
import { createObject, type NeededObject, OBJECTS } from '../engine/support/neededObjects';
import { useTestEnvironment } from '../engine/support/useTestEnvironment';
import { skipWaits } from '../environment/skipWaits';
import { loadActionNodes } from '../operations';
import {
  listSampleIds,
  listStoredWorkflows,
  listVersions,
  readStoredWorkflow,
  runStoredWorkflow,
  selectSavedParameters,
} from './storedWorkflows';

skipWaits();

/** Workflows that earlier versions saved still run, and call what they called then. */

const env = useTestEnvironment();
let ids: Record<string, string>;
beforeAll(async () => {
  ids = await listSampleIds(env);
});

async function findId(name: string): Promise<string> {
  if (OBJECTS.includes(name as NeededObject)) return createObject(env, name as NeededObject);
  const id = ids[name];
  if (id === undefined) throw new Error(`The sample data has no <${name}>`);
  return id;
}

describe.each(listVersions())('workflows of %s', (stored) => {
  test.each(listStoredWorkflows(stored))('%s', async (path) => {
    const workflow = await readStoredWorkflow(stored, path, findId);
    const { run, endpoints } = await runStoredWorkflow(env, workflow);
    expect(run.error).toBeUndefined();
    expect(endpoints).toEqual(workflow.meta.endpoints);
    // A parameter that the form no longer has would be ignored without an error.
    const node = workflow.nodes[1] as INode;
    expect(selectSavedParameters(env, node)).toEqual(node.parameters);
  });
});

test('the current version has a workflow of every operation: npm run store:workflows', () => {
  const names = new Set(
    listStoredWorkflows(version).map((path) => path.replace(/^.*\/|(\.variant\d+)?\.json$/g, '')),
  );
  const stored = loadActionNodes().flatMap(({ resources }) =>
    resources.flatMap((resource) => resource.operations.map(({ name }) => `${resource.name}.${name}`)),
  );
  expect(stored.filter((name) => !names.has(name))).toEqual([]);
});
