/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { RELEASES } from '../n8n';

/** The parts of the SDK's client that the tests need. */
export interface McpClient {
  connect(transport: object): Promise<void>;
  listTools(): Promise<{ tools: McpTool[] }>;
  callTool(call: { name: string; arguments: object }): Promise<McpResult>;
  close(): Promise<void>;
}

export interface McpTool {
  name: string;
  description?: string;
  inputSchema: { properties?: Record<string, { description?: string }> };
}

export interface McpResult {
  isError?: boolean;
  content: Array<{ type: string; text: string }>;
}

interface Sdk {
  Client: new (info: { name: string; version: string }) => McpClient;
  StreamableHTTPClientTransport: new (url: URL, options: { requestInit: RequestInit }) => object;
}

/** Loads the official client SDK. n8n depends on it, so it is installed with n8n, and not where no n8n is installed. */
function loadSdk(): Sdk {
  const load = createRequire(join(RELEASES.newest.folder, 'package.json'));
  return {
    ...(load('@modelcontextprotocol/sdk/client/index.js') as Pick<Sdk, 'Client'>),
    ...(load('@modelcontextprotocol/sdk/client/streamableHttp.js') as Pick<
      Sdk,
      'StreamableHTTPClientTransport'
    >),
  };
}

/** Connects to an MCP server at `url`, with a bearer token. @throws if the server refuses the token */
export async function connectMcpClient(url: string, token: string): Promise<McpClient> {
  const { Client, StreamableHTTPClientTransport } = loadSdk();
  const client = new Client({ name: 'record-database-tests', version: '1.0.0' });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  return client;
}
