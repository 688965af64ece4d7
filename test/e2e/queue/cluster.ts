/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/require-node-api-error -- not shipped: runs on Node */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installN8n, installPackage } from '../n8n';
import { N8nProcess } from '../n8nProcess';
import { removeFolder } from '../removeFolder';
import { type Server, startPostgres, startRedis } from './servers';

const PORTS = { main: 21_000, webhook: 21_010, firstWorker: 21_020 };
const WEBHOOKS = `http://127.0.0.1:${PORTS.webhook}`;

/** Concurrent executions of one worker; n8n advises against fewer. */
export const CONCURRENCY = 5;

/** The settings that all processes of one n8n share, besides its database and queue; see `docs/scaling.md`. */
const shared = () => ({
  EXECUTIONS_MODE: 'queue',
  N8N_ENCRYPTION_KEY: randomBytes(24).toString('hex'),
  WEBHOOK_URL: `${WEBHOOKS}/`,
  N8N_DISABLE_PRODUCTION_MAIN_PROCESS: 'true',
  DB_POSTGRESDB_POOL_SIZE: '10',
  // n8n detects a dead worker after 30 to 40 s instead of one to two minutes, and does not report a busy one.
  QUEUE_WORKER_LOCK_DURATION: '30000',
  QUEUE_WORKER_LOCK_RENEW_TIME: '3000',
  QUEUE_WORKER_STALLED_INTERVAL: '5000',
});

/** n8n in queue mode: a main process, a webhook processor and workers, all on one machine. */
export class Cluster {
  readonly webhooks = WEBHOOKS;
  readonly workers: N8nProcess[] = [];
  private readonly env = shared();
  private readonly folder = mkdtempSync(join(tmpdir(), 'queue-n8n-'));
  private readonly servers: Server[] = [];
  private readonly processes: N8nProcess[] = [];
  main!: N8nProcess;

  static async start(workers: number): Promise<Cluster> {
    installN8n();
    const cluster = new Cluster();
    try {
      cluster.servers.push(await startRedis(), await startPostgres());
      // The main process starts first, because each process would otherwise try to create the tables.
      cluster.main = await cluster.startProcess('start', PORTS.main);
      await Promise.all([
        cluster.startProcess('webhook', PORTS.webhook),
        ...Array.from({ length: workers }, (_, index) => cluster.addWorker(index)),
      ]);
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  /** Starts a worker, also to replace a killed one. */
  async addWorker(index: number): Promise<void> {
    const port = PORTS.firstWorker + 10 * index;
    this.workers[index] = await this.startProcess('worker', port, {
      N8N_CONCURRENCY_PRODUCTION_LIMIT: String(CONCURRENCY),
      QUEUE_HEALTH_CHECK_ACTIVE: 'true',
      QUEUE_HEALTH_CHECK_PORT: String(port),
      N8N_WORKER_SERVER_ADDRESS: '127.0.0.1',
    });
  }

  /** Each process has a separate user folder, so the package must be installed in each. */
  private async startProcess(
    command: 'start' | 'webhook' | 'worker',
    port: number,
    env: Record<string, string> = {},
  ): Promise<N8nProcess> {
    const userFolder = join(this.folder, `${command}-${port}`);
    // A replacement uses the folder of the killed process.
    if (!existsSync(userFolder)) installPackage(userFolder);
    const all = Object.assign({}, this.env, ...this.servers.map((server) => server.env), env);
    const started = await N8nProcess.start({ command, port, userFolder, env: all });
    this.processes.push(started);
    return started;
  }

  /** Stops the workers first, so that they finish their executions. */
  async stop(): Promise<void> {
    await Promise.all(this.processes.map((process) => process.stop()));
    for (const server of this.servers) await server.stop();
    removeFolder(this.folder);
  }
}
