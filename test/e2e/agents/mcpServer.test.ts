import { loadExample } from '../../examples';
import { setCredential } from '../examplesInN8n';
import { endAll, type Ends, type Installation, RELEASE, startInstallation } from '../installation';
import { versionOf } from '../n8n';
import { until } from '../until';
import { connectMcpClient, type McpClient } from './mcpClient';

const TOKEN = 'token-of-the-mcp-client';

const ends: Ends = [];
let installation: Installation;
let client: McpClient;
let url: string;

async function activateExample({ api, service, credential }: Installation): Promise<void> {
  const bearer = await api.saveCredential('Token of the client', { token: TOKEN }, 'httpBearerAuth');
  const workflow = setCredential(loadExample('mcp-server', service), credential);
  const nodes = workflow.nodes.map((node) =>
    node.name === 'MCP Server' ? { ...node, credentials: { httpBearerAuth: bearer } } : node,
  );
  const { id } = await api.createWorkflow({ ...workflow, nodes, active: false });
  await api.activate(id);
}

const isRegistered = async (address: string) =>
  (await fetch(address, { method: 'POST', body: '{}' })).status !== 404;

beforeAll(async () => {
  installation = await startInstallation(ends);
  await activateExample(installation);
  url = `${installation.n8nUrl}/mcp/record-database`;
  await until('the address of the MCP server', () => isRegistered(url));
  client = await connectMcpClient(url, TOKEN);
  ends.push(() => client.close());
});
afterAll(() => endAll(ends));

/** Calls a tool. If the answer is an error, its text is in the message of the failed test. */
async function callTool(name: string, args: object): Promise<string> {
  const { content, isError } = await client.callTool({ name, arguments: args });
  const text = content.map((part) => part.text).join('\n');
  if (isError) throw new Error(`${name} answered with an error: ${text}`);
  return text;
}

describe(`Record Database as an MCP server in n8n ${versionOf(RELEASE)}`, () => {
  test('a client sees six tools with descriptions', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual([
      'Count_Records',
      'Create_Record',
      'Find_Records',
      'List_Fields',
      'List_Tables',
      'Update_Record',
    ]);
    const find = tools.find(({ name }) => name === 'Find_Records');
    expect(find?.description).toContain('records of a table that match a filter');
    expect(find?.inputSchema.properties?.filter?.description).toContain('{"Status": "Active"');
  });

  test('a client reads records', async () => {
    const active = [...installation.service.getTable('Customers').records.values()].filter(
      ({ status }) => status === 'active',
    );
    const found = await callTool('Find_Records', { table: 'customers', filter: '{"Status": "Active"}' });
    expect(found).toContain(`"_total":${active.length}`);
    // An answer has a bound: what is left out is said.
    const shown = found.match(/"id":/g)?.length ?? 0;
    expect(shown).toBeGreaterThan(5);
    expect(shown < Math.min(20, active.length)).toBe(found.includes('"_cut"'));
  });

  test('a client creates a record', async () => {
    const fields = '{"Company": "Mill Works", "Email": "mill@example.com", "Credit Limit": "1200"}';
    const created = await callTool('Create_Record', { table: 'Customers', fields });
    const records = [...installation.service.getTable('Customers').records.values()];
    const [record, ...others] = records.filter(({ company }) => company === 'Mill Works');
    expect(record).toMatchObject({ credit_limit: 1200 });
    expect(others).toEqual([]);
    expect(created).toContain(String(record?.id));
  });

  test('a client without the token is refused', async () => {
    await expect(connectMcpClient(url, 'another token')).rejects.toThrow();
    expect(installation.service.violations).toEqual([]);
  });
});
