import { loadExample } from '../../examples';
import { setCredential } from '../examplesInN8n';
import { endAll, type Ends, type Installation, RELEASE, startInstallation } from '../installation';
import { RELEASES, versionOf } from '../n8n';
import { ScriptedModel } from '../scriptedModel';
import { until } from '../until';

const CHAT_PATH = 'ask-about-tables/chat';

/** n8n ignores an approval that comes from a program, because chat programs open links to show a preview. */
const BROWSER = {
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36',
};

const ends: Ends = [];
const model = new ScriptedModel([]);
let installation: Installation;

/** The calls of the model: it reads, and then creates a record, which waits for the approval. */
const createCalls = (company: string) => [
  { tool: 'Count_Records', arguments: { table: 'Customers', filter: '{"Status": "Active"}' } },
  {
    tool: 'Create_Record',
    arguments: {
      toolParameters: {
        table: 'Customers',
        fields: JSON.stringify({ Company: company, Email: 'mill@example.com' }),
      },
      hitlParameters: {},
    },
  },
];

/** Creates the example as a user completes it: with a model, and with a chat that is open to the test. */
async function activateExample({ api, service, credential }: Installation): Promise<void> {
  const openAi = await api.saveCredential('Model', { apiKey: 'none', url: model.url }, 'openAiApi');
  const workflow = setCredential(loadExample('ai-agent-with-approval', service), credential);
  const nodes = workflow.nodes.map((node) => {
    if (node.name === 'Model') return { ...node, credentials: { openAiApi: openAi } };
    if (node.name !== 'Question') return node;
    return { ...node, parameters: { ...node.parameters, public: true } };
  });
  const { id } = await api.createWorkflow({ ...workflow, nodes, active: false });
  await api.activate(id);
}

/** Sends a message to the chat. @returns the ID of the execution */
async function ask(chatInput: string): Promise<string> {
  let answer = '';
  await until('the address of the chat', async () => {
    const response = await fetch(`${installation.n8nUrl}/webhook/${CHAT_PATH}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ action: 'sendMessage', sessionId: chatInput, chatInput }),
    });
    answer = await response.text();
    return response.status !== 404;
  });
  const { executionId } = JSON.parse(answer) as { executionId?: string };
  if (!executionId) throw new Error(`the chat started no execution: ${answer}`);
  return executionId;
}

/** Reads the data of an execution. @throws if the execution failed */
async function readExecution(id: string): Promise<{ status: string; data: string }> {
  const execution = await installation.api.request<{ status: string; data: string }>(
    'GET',
    `/executions/${id}`,
  );
  if (execution.status === 'error') throw new Error(`the agent failed: ${execution.data.slice(0, 10_000)}`);
  return execution;
}

/** Waits until the execution asks for approval. Returns the address of a button of the message. */
async function findButton(executionId: string, isApproval: boolean): Promise<string> {
  let address = '';
  await until('the buttons in the chat', async () => {
    const { status, data } = await readExecution(executionId);
    address = new RegExp(`http[^"]+approved=${isApproval}[^"]*`).exec(data)?.[0] ?? '';
    return status === 'waiting' && address !== '';
  });
  return address;
}

/** Clicks a button of the message, and waits until the model has the result of the second call. */
async function clickButton(executionId: string, isApproval: boolean): Promise<string> {
  await fetch(await findButton(executionId, isApproval), { headers: BROWSER });
  await until('the result of Create Record', async () => {
    await readExecution(executionId);
    return model.results.length === 2;
  });
  return model.results[1] ?? '';
}

const listCustomers = () => [...installation.service.getTable('Customers').records.values()];

const findCustomers = (name: string) => listCustomers().filter(({ company }) => company === name);

const countActive = () => listCustomers().filter(({ status }) => status === 'active').length;

// Human review of tools is part of n8n 2.
const describeWithReview = RELEASE === RELEASES.v1 ? describe.skip : describe;

describeWithReview(`an AI agent with approval in n8n ${versionOf(RELEASE)}`, () => {
  beforeAll(async () => {
    await model.start();
    ends.push(() => model.stop());
    installation = await startInstallation(ends);
    await activateExample(installation);
  });
  afterAll(() => endAll(ends));
  afterEach(() => expect(installation.service.violations).toEqual([]));

  test('it reads, and creates the record that a person approves', async () => {
    model.calls = createCalls('Approved Mill');
    const executionId = await ask('Add Approved Mill.');
    expect(await findButton(executionId, true)).toContain(installation.n8nUrl);
    expect(findCustomers('Approved Mill')).toEqual([]);
    expect(model.results[0]).toContain(`"count":${countActive()}`);

    const result = await clickButton(executionId, true);
    const created = findCustomers('Approved Mill');
    expect(created).toHaveLength(1);
    expect(result).toContain(String(created[0]!.id));
  });

  test('it does not create a record that a person declines', async () => {
    model.calls = createCalls('Declined Mill');
    const executionId = await ask('Add Declined Mill.');
    expect(await clickButton(executionId, false)).toContain('rejected');
    expect(findCustomers('Declined Mill')).toEqual([]);
  });
});
