/** The login of a local n8n that holds nothing but examples. */
export const OWNER = {
  email: 'owner@example.com',
  password: 'Record-Database-1',
  firstName: 'Workflow',
  lastName: 'Owner',
};

/** n8n binds a login to the browser that made it. */
const BROWSER = { 'browser-id': 'record-database-setup' };

export interface N8nWorkflow {
  id: string;
  name: string;
  versionId?: string;
}

/** The editor's own REST API, as far as setting up and watching need it. */
export class N8nApi {
  private cookie = '';

  constructor(private readonly url: string) {}

  async request<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await fetch(`${this.url}/rest${path}`, {
      method,
      headers: { 'content-type': 'application/json', cookie: this.cookie, ...BROWSER },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok)
      throw new Error(`n8n answered ${response.status} to ${method} ${path}: ${text.slice(0, 300)}`);
    const cookie = response.headers.getSetCookie().find((one) => one.startsWith('n8n-auth='));
    if (cookie) this.cookie = cookie.split(';')[0] ?? '';
    return (JSON.parse(text || '{}') as { data: T }).data;
  }

  /** Makes the owner on the first start, logs in on later ones. */
  async logIn(): Promise<void> {
    const { email, password } = OWNER;
    try {
      await this.request('POST', '/owner/setup', OWNER);
    } catch {
      await this.request('POST', '/login', { emailOrLdapLoginId: email, password });
    }
  }

  async saveCredential(name: string, data: object): Promise<{ id: string; name: string }> {
    const all = await this.request<Array<{ id: string; name: string }>>('GET', '/credentials');
    const known = all.find((one) => one.name === name);
    const body = { name, type: 'recordDatabaseApi', data };
    return known
      ? this.request('PATCH', `/credentials/${known.id}`, body)
      : this.request('POST', '/credentials', body);
  }

  workflows(): Promise<N8nWorkflow[]> {
    return this.request('GET', '/workflows');
  }

  createWorkflow(workflow: object): Promise<N8nWorkflow> {
    return this.request('POST', '/workflows', workflow);
  }
}
