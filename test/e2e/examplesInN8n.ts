import { listExamples, loadExample } from '../examples';
import type { WorkflowJson } from '../harness';
import type { Service } from '../service';
import type { N8nApi } from './n8nApi';

export const CREDENTIAL_NAME = 'Record Database account';

/** Replaces the credential of the package's nodes by one that exists. */
export const setCredential = (workflow: WorkflowJson, credential: { id: string; name: string }) => ({
  ...workflow,
  nodes: workflow.nodes.map((node) => ({
    ...node,
    ...(node.credentials && { credentials: { recordDatabaseApi: credential } }),
  })),
});

/**
 * Creates the credential for `service` and all missing example workflows. Keeps the user's workflows.
 * @returns the names of the example workflows
 */
export async function fillWithExamples(api: N8nApi, service: Service): Promise<string[]> {
  await api.logIn();
  const { id, name } = await api.saveCredential(CREDENTIAL_NAME, {
    baseUrl: service.baseUrl,
    advancedSettings: true,
    fileHosts: service.fileHost,
    ...service.keys,
  });
  const there = new Set((await api.workflows()).map((workflow) => workflow.name));
  const examples = listExamples().map((example) => loadExample(example, service));
  for (const workflow of examples) {
    if (there.has(String(workflow.name))) continue;
    await api.createWorkflow({ ...setCredential(workflow, { id, name }), active: false });
  }
  return examples.map((workflow) => String(workflow.name));
}
