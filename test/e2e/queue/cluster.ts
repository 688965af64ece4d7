import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installN8n, installPackage } from '../n8n';
import { N8nProcess } from '../n8nProcess';
import { removeFolder } from '../removeFolder';
import { startPostgres, startRedis, type Server } from './servers';

const PORTS = { main: 21_000, webhook: 21_010, firstWorker: 21_020 };
const WEBHOOKS = `http://127.0.0.1:${PORTS.webhook}`;

/** Executions at once in one worker; n8n advises against fewer. */
export const CONCURRENCY = 5;

/** Beside its database and its queue, all that makes processes one n8n; `docs/scaling.md` says why. */
const shared = () => ({
  EXECUTIONS_MODE: 'queue',
  N8N_ENCRYPTION_KEY: randomBytes(24).toString('hex'),
  WEBHOOK_URL: `${WEBHOOKS}/`,
  N8N_DISABLE_PRODUCTION_MAIN_PROCESS: 'true',
  DB_POSTGRESDB_POOL_SIZE: '10',
  // A worker that dies is noticed after 30 to 40 s, not after one to two minutes; a busy one is not taken for dead.
  QUEUE_WORKER_LOCK_DURATION: '30000',
  QUEUE_WORKER_LOCK_RENEW_TIME: '3000',
  QUEUE_WORKER_STALLED_INTERVAL: '5000',
});

/** n8n as it is run on several machines: a main, a webhook processor and workers, here on one machine. */
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
      // First, for it makes the database's tables; the others would all try the same.
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

  /** Also in the place of one that was killed, as a supervisor does it. */
  async addWorker(index: number): Promise<void> {
    const port = PORTS.firstWorker + 10 * index;
    this.workers[index] = await this.startProcess('worker', port, {
      N8N_CONCURRENCY_PRODUCTION_LIMIT: String(CONCURRENCY),
      QUEUE_HEALTH_CHECK_ACTIVE: 'true',
      QUEUE_HEALTH_CHECK_PORT: String(port),
      N8N_WORKER_SERVER_ADDRESS: '127.0.0.1',
    });
  }

  /** Each has a folder of its own, as on a machine of its own: the package has to be installed in all. */
  private async startProcess(
    command: 'start' | 'webhook' | 'worker',
    port: number,
    env: Record<string, string> = {},
  ): Promise<N8nProcess> {
    const userFolder = join(this.folder, `${command}-${port}`);
    // One in the place of another finds it there.
    if (!existsSync(userFolder)) installPackage(userFolder);
    const all = Object.assign({}, this.env, ...this.servers.map((server) => server.env), env);
    const started = await N8nProcess.start({ command, port, userFolder, env: all });
    this.processes.push(started);
    return started;
  }

  /** Workers first: they may finish what they are doing. */
  async stop(): Promise<void> {
    await Promise.all(this.processes.map((process) => process.stop()));
    for (const server of this.servers) await server.stop();
    removeFolder(this.folder);
  }
}
