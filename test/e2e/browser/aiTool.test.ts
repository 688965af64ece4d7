import { RELEASE } from '../installation';
import { versionOf } from '../n8n';
import { ScriptedModel } from '../scriptedModel';
import { until } from '../until';
import { Stage } from './stage';

const model = new ScriptedModel([{ tool: 'Customers', arguments: { Company: 'Cedar Partners' } }]);

let stage: Stage;
beforeAll(async () => {
  await model.start();
  stage = await Stage.open();
});
afterAll(async () => {
  await stage?.close();
  await model.stop();
});

const AGENT = '@n8n/n8n-nodes-langchain.agent';
const DESCRIPTION = 'Finds customers by company, at most 3. Use it before a customer is created.';

const WEBHOOK_PATH = 'ask-the-agent';

const POSITIONS: Record<string, [x: number, y: number]> = {
  Ask: [0, 0],
  Agent: [240, 0],
  Model: [160, 240],
  Customers: [400, 240],
};

/** @returns the id of its workflow */
async function startAgent(): Promise<string> {
  const { api, credential, service } = stage;
  const openAi = await api.request<{ id: string; name: string }>('POST', '/credentials', {
    name: 'Scripted model',
    type: 'openAiApi',
    data: { apiKey: 'none', url: model.url },
  });
  const node = (name: string, type: string, typeVersion: number, parameters: object, more: object = {}) => ({
    id: name,
    name,
    type,
    typeVersion,
    position: POSITIONS[name],
    parameters,
    ...more,
  });
  const filterJson = `={{ { Company: $fromAI('Company', 'Name of the company') } }}`;
  const made = await api.createWorkflow({
    name: 'Agent',
    active: false,
    settings: {},
    nodes: [
      node(
        'Ask',
        'n8n-nodes-base.webhook',
        2,
        { path: WEBHOOK_PATH, httpMethod: 'GET', responseMode: 'lastNode', options: {} },
        { webhookId: 'ask-the-agent' },
      ),
      node('Agent', AGENT, 2, { promptType: 'define', text: 'Which customers does Cedar Partners have?' }),
      node(
        'Model',
        '@n8n/n8n-nodes-langchain.lmChatOpenAi',
        1.1,
        { model: 'scripted', options: {} },
        { credentials: { openAiApi: openAi } },
      ),
      node(
        'Customers',
        'n8n-nodes-record-database.recordDatabaseTool',
        1,
        {
          descriptionType: 'manual',
          toolDescription: DESCRIPTION,
          resource: 'record',
          operation: 'getAll',
          dataTableId: {
            __rl: true,
            mode: 'list',
            value: service.getTable('Customers').id,
            cachedResultName: 'Customers',
          },
          limit: 3,
          filterJson,
        },
        { credentials: { recordDatabaseApi: credential } },
      ),
    ],
    connections: {
      Ask: { main: [[{ node: 'Agent', type: 'main', index: 0 }]] },
      Model: { ai_languageModel: [[{ node: 'Agent', type: 'ai_languageModel', index: 0 }]] },
      Customers: { ai_tool: [[{ node: 'Agent', type: 'ai_tool', index: 0 }]] },
    },
  });
  await api.activate(made.id);
  return made.id;
}

test(`an AI agent uses the node as its tool in n8n ${versionOf(RELEASE)}`, async () => {
  const id = await startAgent();
  let answer = '';
  await until('the webhook', async () => {
    const response = await fetch(`${stage.n8nUrl}/webhook/${WEBHOOK_PATH}`);
    answer = await response.text();
    return response.status !== 404;
  });
  // The HTTP response contains only that there was an error.
  if (!answer.includes('Cedar Partners')) throw new Error(`${answer} ${await stage.api.traceOf(id)}`);
  const [first] = model.requests;
  const tool = first?.tools?.[0]?.function;
  expect(JSON.stringify(tool?.parameters)).toContain('Name of the company');
  expect(tool?.description).toBe(DESCRIPTION);
  // One condition stands in the address.
  const asked = stage.service.requests.find(({ query }) =>
    JSON.stringify(query ?? '').includes('Cedar Partners'),
  );
  expect(asked).toMatchObject({ method: 'GET', status: 200 });
  expect(stage.service.violations).toEqual([]);
  await stage.editor.openWorkflow(id);
  await stage.editor.closeChecklist();
  await stage.picture('agent', 700);
  const form = await stage.editor.openNode('Customers');
  await form.root.getByText('Tool Description').first().waitFor();
  await stage.picture('agent-tool', 980);
});
