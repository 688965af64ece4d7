/* eslint-disable @n8n/community-nodes/no-hardcoded-secrets, @n8n/community-nodes/require-node-api-error -- not shipped: runs on Node */
import { until } from './until';

/** The login of a local n8n that contains only examples. */
export const OWNER = {
  email: 'owner@example.com',
  password: 'Record-Database-1',
  firstName: 'Workflow',
  lastName: 'Owner',
};

/** A new connection: n8n may close an idle one at the moment when a request is sent on it. */
const ONE_REQUEST = { headers: { connection: 'close' } };

/**
 * Sends a request once more if n8n closed its connection as idle. fetch keeps connections open whatever the headers
 * say, and on a slow machine it notices too late that n8n has closed one after 5 s.
 */
async function fetchOnOpenConnection(url: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(url, request);
  } catch (error) {
    const { code } = (error as { cause?: { code?: string } }).cause ?? {};
    if (code !== 'UND_ERR_SOCKET') throw error;
    return fetch(url, request);
  }
}

/** n8n accepts a session only from the browser that logged in. */
const BROWSER = { 'browser-id': 'record-database-setup' };

export interface N8nWorkflow {
  id: string;
  name: string;
  versionId?: string;
}

export interface N8nExecution {
  id: string;
  workflowId: string;
  /** `success`, `error`, `crashed`, `running`, `new`, `waiting`, `canceled`. */
  status: string;
  mode: string;
}

/** The parts of the editor's REST API that the tests need. */
export class N8nApi {
  /** @param cookie the session of an earlier login; without it, call `logIn` first */
  constructor(
    private readonly url: string,
    private cookie = '',
  ) {}

  async request<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await fetchOnOpenConnection(`${this.url}/rest${path}`, {
      method,
      headers: {
        ...ONE_REQUEST.headers,
        'content-type': 'application/json',
        cookie: this.cookie,
        ...BROWSER,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok)
      throw new Error(`n8n answered ${response.status} to ${method} ${path}: ${text.slice(0, 300)}`);
    const cookie = response.headers.getSetCookie().find((one) => one.startsWith('n8n-auth='));
    if (cookie) this.cookie = cookie.split(';')[0] ?? '';
    return (JSON.parse(text || '{}') as { data: T }).data;
  }

  /** Makes the owner on the first start, logs in on later ones. @returns the cookie of the session */
  async logIn(): Promise<string> {
    const { email, password } = OWNER;
    await this.answers();
    try {
      await this.request('POST', '/owner/setup', OWNER);
    } catch {
      await this.request('POST', '/login', { emailOrLdapLoginId: email, password });
    }
    return this.cookie;
  }

  /** Retries, because n8n 1 reports that it is ready before its API responds. */
  private async answers(): Promise<void> {
    await until('the API of n8n', async () => (await fetch(`${this.url}/rest/settings`, ONE_REQUEST)).ok);
  }

  /** Creates or replaces the credential with this name. */
  async saveCredential(
    name: string,
    data: object,
    type = 'recordDatabaseApi',
  ): Promise<{ id: string; name: string }> {
    const all = await this.request<Array<{ id: string; name: string }>>('GET', '/credentials');
    const known = all.find((one) => one.name === name);
    const body = { name, type, data };
    return known
      ? this.request('PATCH', `/credentials/${known.id}`, body)
      : this.request('POST', '/credentials', body);
  }

  /** Runs the test of a saved credential, as the editor does. */
  async testCredential({ id }: { id: string }): Promise<{ status: string; message: string }> {
    const credentials = await this.request<object>('GET', `/credentials/${id}?includeData=true`);
    return this.request('POST', '/credentials/test', { credentials });
  }

  /** The names of all types of nodes that n8n has loaded. */
  async listNodeTypes(): Promise<string[]> {
    const headers = { ...ONE_REQUEST.headers, cookie: this.cookie, ...BROWSER };
    const response = await fetch(`${this.url}/types/nodes.json`, { headers });
    return ((await response.json()) as Array<{ name: string }>).map(({ name }) => name);
  }

  /** Deletes the other credentials of the type, of which n8n would otherwise choose one for a new node. */
  async deleteOtherCredentials(kept: { id: string }, type = 'recordDatabaseApi'): Promise<void> {
    const all = await this.request<Array<{ id: string; type: string }>>('GET', '/credentials');
    for (const { id } of all.filter((one) => one.type === type && one.id !== kept.id))
      await this.request('DELETE', `/credentials/${id}`);
  }

  workflows(): Promise<N8nWorkflow[]> {
    return this.request('GET', '/workflows');
  }

  createWorkflow(workflow: object): Promise<N8nWorkflow> {
    return this.request('POST', '/workflows', workflow);
  }

  /** n8n 2 publishes a version; n8n 1 sets a flag. */
  async activate(id: string): Promise<void> {
    const { versionId } = await this.request<N8nWorkflow>('GET', `/workflows/${id}`);
    await this.switch(id, 'activate', { versionId });
  }

  deactivate(id: string): Promise<void> {
    return this.switch(id, 'deactivate', {});
  }

  private async switch(id: string, how: 'activate' | 'deactivate', body: object): Promise<void> {
    try {
      await this.request('POST', `/workflows/${id}/${how}`, body);
    } catch (error) {
      if (!(error as Error).message.startsWith('n8n answered 404')) throw error;
      await this.request('PATCH', `/workflows/${id}`, { active: how === 'activate' });
    }
  }

  /** The data of a workflow's newest execution with its errors, for the message of a failed test. */
  async traceOf(workflowId: string): Promise<string> {
    const [newest] = await this.executions(workflowId);
    if (!newest) return 'The workflow has no execution.';
    const { data } = await this.request<{ data: string }>('GET', `/executions/${newest.id}`);
    return data.slice(0, 10_000);
  }

  /** The newest executions of a workflow, at most 100. */
  async executions(workflowId: string): Promise<N8nExecution[]> {
    const filter = encodeURIComponent(JSON.stringify({ workflowId }));
    const { results } = await this.request<{ results: N8nExecution[] }>(
      'GET',
      `/executions?filter=${filter}&limit=100`,
    );
    return results;
  }
}
