import { range } from 'lodash';
import { loadExample } from '../../examples';
import { createNode } from '../../harness';
import { setCredential } from '../examplesInN8n';
import { endAll, type Ends, type Installation, RELEASE, startInstallation } from '../installation';
import { versionOf } from '../n8n';
import { until } from '../until';

const ends: Ends = [];
let installation: Installation;
afterAll(() => endAll(ends));

const PER_DAY = 20;
/** Longer than the 65 s from which n8n stores a waiting execution. */
const DAY_MS = 90_000;
const ROWS = range(30).map((n) => ({ name: `Product ${n}`, sku: `WAIT-${n}` }));

/** The example with these rows, started by a call instead of by hand. */
function createWorkflow({ service, credential }: Installation): object {
  const example = loadExample('daily-limit', service);
  const call = createNode('Run Once', 'n8n-nodes-base.webhook', {
    path: 'daily-limit',
    httpMethod: 'POST',
    responseMode: 'onReceived',
    options: {},
  });
  const nodes = example.nodes.map((node) => {
    if (node.name === 'Run Once') return { ...node, ...call, typeVersion: 2, webhookId: 'daily-limit' };
    if (node.name !== 'Price List') return node;
    return { ...node, parameters: { ...node.parameters, jsonOutput: JSON.stringify({ products: ROWS }) } };
  });
  return { ...setCredential({ ...example, nodes }, credential), active: false };
}

describe(`The limit of the day in n8n ${versionOf(RELEASE)}`, () => {
  beforeAll(async () => {
    installation = await startInstallation(ends);
  });

  test('the example waits in the database of n8n, and creates each record once', async () => {
    const { api, service, n8nUrl } = installation;
    Object.assign(service.options, { perDay: PER_DAY, dayMs: DAY_MS });
    const { id } = await api.createWorkflow(createWorkflow(installation));
    await api.activate(id);
    const products = service.getTable('Products')!;
    const listCreated = () =>
      [...products.records.values()].map(({ sku }) => String(sku)).filter((sku) => sku.startsWith('WAIT-'));
    await until('the webhook', async () => {
      const { status } = await fetch(`${n8nUrl}/webhook/daily-limit`, { method: 'POST' });
      return status === 200;
    });
    const statuses: string[] = [];
    const counts: number[] = [];
    await until('the end of the execution', async () => {
      const [execution, ...others] = await api.executions(id);
      expect(others).toEqual([]);
      // n8n answers the webhook before it lists the execution.
      if (!execution) return false;
      const { status } = execution;
      if (status === 'waiting') counts.push(listCreated().length);
      if (statuses.at(-1) !== status) statuses.push(status);
      return !['new', 'running', 'waiting'].includes(status);
    });
    expect(counts.filter((count) => count >= ROWS.length)).toEqual([]);
    expect(statuses.filter((status) => status !== 'new' && status !== 'running')).toEqual([
      'waiting',
      'success',
    ]);
    expect(listCreated().sort()).toEqual(ROWS.map(({ sku }) => sku).sort());
    expect(service.violations).toEqual([]);
  });
});
