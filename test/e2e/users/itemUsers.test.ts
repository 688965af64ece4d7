import { randomUUID } from 'node:crypto';
import { toLocator } from '../../engine/support/testEnvironment';
import { chainNodes, createNode } from '../../harness';
import { endAll, type Ends, type Installation, RELEASE, startInstallation } from '../installation';
import { versionOf } from '../n8n';
import { until } from '../until';

const ends: Ends = [];
let installation: Installation;
afterAll(() => endAll(ends));

/** n8n shows a stored credential without its passwords, but with their expressions. */
const readCredential = async ({ api }: Installation, id: string) =>
  (await api.request<{ data: object }>('GET', `/credentials/${id}?includeData=true`)).data;

/** A workflow that returns the customers that the users of its items see. It is called at `path`. */
function createWorkflow(path: string, { service }: Installation, credential: { id: string; name: string }) {
  const nodes = [
    {
      ...createNode('Call', 'n8n-nodes-base.webhook', {
        path,
        httpMethod: 'POST',
        responseMode: 'lastNode',
        responseData: 'allEntries',
        options: {},
      }),
      typeVersion: 2,
      webhookId: randomUUID(),
    },
    createNode('Users', 'n8n-nodes-base.splitOut', { fieldToSplitOut: 'body.users', options: {} }),
    createNode(
      'Customers',
      'n8n-nodes-record-database.recordDatabase',
      {
        resource: 'record',
        operation: 'getAll',
        dataTableId: toLocator(service.getTable('Customers').id),
        returnAll: true,
        options: {},
      },
      { credentials: { recordDatabaseApi: credential } },
    ),
  ];
  const { connections } = chainNodes(...nodes);
  const placed = nodes.map((node, index) => ({ ...node, position: [index * 200, 0] }));
  return { name: path, nodes: placed, connections, settings: {}, active: false };
}

describe(`Expressions in a credential in n8n ${versionOf(RELEASE)}`, () => {
  beforeAll(async () => {
    installation = await startInstallation(ends);
  });

  test('each item runs as its own user, and the stored expressions are the same after ten executions', async () => {
    const { api, service, n8nUrl } = installation;
    const credential = await api.saveCredential('User of the item', {
      baseUrl: service.baseUrl,
      ...service.keys,
      userLogin: 'password',
      email: '={{ $json.email }}',
      password: '={{ $json.password }}',
    });
    const before = await readCredential(installation, credential.id);
    expect(before).toMatchObject({ email: '={{ $json.email }}', userLogin: 'password' });

    const { id } = await api.createWorkflow(createWorkflow('item-users', installation, credential));
    await api.activate(id);
    const address = `${n8nUrl}/webhook/item-users`;
    const call = (users: object[]) =>
      fetch(address, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ users }),
      });
    await until('the webhook', async () => (await call([])).status !== 404);

    const users = service.users.slice(0, 3);
    const customers = [...service.getTable('Customers').records.values()];
    for (let nth = 0; nth < 10; nth++) {
      const items = [0, 1, 2, 0].map((index) => users[(index + nth) % users.length]!);
      const response = await call(items.map(({ email, password }) => ({ email, password })));
      const found = (await response.json()) as Array<{ id: string }>;
      const owned = items.flatMap(({ id: owner }) =>
        customers.filter(({ account_owner: owners }) => (owners as string[]).includes(owner)),
      );
      expect(found.map((one) => one.id)).toEqual(owned.map((one) => one.id));
    }
    expect(await readCredential(installation, credential.id)).toEqual(before);
    expect(service.requests.filter(({ path }) => path.endsWith('/auth/login'))).toHaveLength(users.length);
    expect(service.requests.filter(({ status }) => status !== 200)).toEqual([]);
    expect(service.violations).toEqual([]);
  });
});
