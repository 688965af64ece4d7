import { exampleNames, loadExample } from '../examples';
import type { Service } from '../service';
import type { N8nApi } from './n8nApi';

export const CREDENTIAL_NAME = 'Record Database account';

/** The credential for `service`, and every example workflow that is not there yet: the user's own stay. */
export async function fillWithExamples(api: N8nApi, service: Service): Promise<string[]> {
  await api.logIn();
  const { id, name } = await api.saveCredential(CREDENTIAL_NAME, {
    baseUrl: service.baseUrl,
    ...service.keys,
  });
  const there = new Set((await api.workflows()).map((workflow) => workflow.name));
  for (const example of exampleNames()) {
    const workflow = loadExample(example, service);
    if (there.has(String(workflow.name))) continue;
    const nodes = workflow.nodes.map((node) => ({
      ...node,
      ...(node.credentials && { credentials: { recordDatabaseApi: { id, name } } }),
    }));
    await api.createWorkflow({ ...workflow, nodes, active: false });
  }
  return (await api.workflows()).map((workflow) => workflow.name);
}
