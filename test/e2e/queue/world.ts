/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import axios from 'axios';
import { type Service, startService, type Table } from '../../service';
import { CREDENTIAL_NAME } from '../examplesInN8n';
import { N8nApi, type N8nExecution } from '../n8nApi';
import { until } from '../until';
import { Cluster } from './cluster';
import { type Tables, Workflows } from './workflows';

/** A shortened limit window of the key. Two workers could send more requests, so the limit is reached. */
export const LIMIT = { perMinute: 300, windowMs: 10_000 };

export type Status = 'new' | 'running' | 'waiting' | 'success' | 'error' | 'crashed' | 'canceled';

const UNDER_WAY: Status[] = ['new', 'running', 'waiting'];

const filterFor = (workflowId: string, status: Status[]) =>
  encodeURIComponent(JSON.stringify({ workflowId, status }));

/** Tables at the service, n8n in queue mode, the credential, and the three workflows. */
export class World {
  private constructor(
    readonly service: Service,
    readonly cluster: Cluster,
    readonly api: N8nApi,
    readonly tables: Tables,
    readonly ids: Record<'events' | 'reconcile' | 'sync', string>,
  ) {}

  static async start(): Promise<World> {
    const service = await startService({
      sample: 'empty',
      perDay: 1_000_000,
      // No delivery is repeated, and a delivery that waits for a busy machine must not count as lost.
      deliveryTimeoutMs: 600_000,
      ...LIMIT,
    });
    const target = (name: string, unique: boolean) =>
      service.addTable({
        name,
        fields: [
          { name: 'Source ID', type: 'Text', unique },
          { name: 'Number', type: 'Number' },
          { name: 'Origin', type: 'Text' },
        ],
      });
    const tables = {
      signups: service.addTable({ name: 'Signups', fields: [{ name: 'Number', type: 'Number' }] }),
      copies: target('Copies', true),
      mirror: target('Mirror', false),
    };
    const cluster = await Cluster.start(2).catch(async (error: Error) => {
      await service.stop();
      throw error;
    });
    const api = new N8nApi(cluster.main.url);
    await api.logIn();
    const credential = await api.saveCredential(CREDENTIAL_NAME, {
      baseUrl: service.baseUrl,
      ...service.keys,
    });
    const make = new Workflows(credential.id, tables);
    const idOf = async (workflow: object) => (await api.createWorkflow(workflow)).id;
    const ids = {
      events: await idOf(make.events()),
      reconcile: await idOf(make.reconcile()),
      sync: await idOf(make.sync()),
    };
    return new World(service, cluster, api, tables, ids);
  }

  async stop(): Promise<void> {
    await this.cluster.stop();
    await this.service.stop();
  }

  /** Executions of a workflow that are in one of these states. */
  async count(workflowId: string, status: Status[]): Promise<number> {
    const path = `/executions?filter=${filterFor(workflowId, status)}&limit=1`;
    return (await this.api.request<{ count: number }>('GET', path)).count;
  }

  /** Ids of the executions that did not succeed. */
  async failed(workflowId: string): Promise<string[]> {
    const all = await this.api.request<{ results: N8nExecution[] }>(
      'GET',
      `/executions?filter=${filterFor(workflowId, ['error', 'crashed', 'canceled'])}&limit=100`,
    );
    return all.results.map(({ id }) => id);
  }

  /** Whether a workflow has no running or waiting executions. */
  async isIdle(workflowId: string): Promise<boolean> {
    return (await this.count(workflowId, UNDER_WAY)) === 0;
  }

  /** Publishes, and waits until the webhook processor knows the path, because n8n updates it in the background. */
  async activateWebhook(workflowId: string, path: string): Promise<void> {
    await this.api.activate(workflowId);
    const ask = { method: 'OPTIONS', headers: { origin: this.cluster.webhooks } };
    await until(`the webhook ${path}`, async () => {
      const { headers } = await fetch(`${this.cluster.webhooks}/webhook/${path}`, ask);
      return headers.get('access-control-allow-methods')?.includes('POST') ?? false;
    });
  }

  /** Starts a workflow through the webhook processor. @returns the status at the end of the execution */
  async post(path: string): Promise<number> {
    // Does not use fetch, because fetch times out after five minutes.
    const url = `${this.cluster.webhooks}/webhook/${path}`;
    return (await axios.post(url, undefined, { proxy: false, validateStatus: () => true })).status;
  }

  /** The differences between the written records and the signups. All must be 0. */
  differences(target: Table): { missing: number; doubled: number; foreign: number } {
    const signups = this.tables.signups.records;
    const sources = [...target.records.values()].map(({ source_id }) => String(source_id));
    const known = new Set(sources);
    return {
      missing: [...signups.keys()].filter((id) => !known.has(id)).length,
      doubled: sources.length - known.size,
      foreign: [...known].filter((id) => !signups.has(id)).length,
    };
  }

  /** The copies, by the workflow that created them. */
  madeBy(origin: string): number {
    return [...this.tables.copies.records.values()].filter((record) => record.origin === origin).length;
  }
}
