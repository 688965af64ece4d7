/* eslint-disable @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/require-node-api-error -- not shipped: runs on Node */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type N8nRelease, n8nScript, NODE, RELEASES } from './n8n';

export interface ProcessOptions {
  /** n8n's command: `start` is the editor with everything; `webhook` and `worker` are the parts of queue mode. */
  command?: 'start' | 'webhook' | 'worker';
  /** Port of the HTTP server. The task broker uses the next port. */
  port: number;
  /** Contains the database, the installed package and the log. */
  userFolder: string;
  release?: N8nRelease;
  env?: Record<string, string>;
}

/** Environment of n8n: no telemetry or update checks, plain HTTP on loopback. */
const settings = ({ port, userFolder }: ProcessOptions) => ({
  N8N_USER_FOLDER: userFolder,
  N8N_PORT: String(port),
  N8N_LISTEN_ADDRESS: '127.0.0.1',
  WEBHOOK_URL: `http://127.0.0.1:${port}/`,
  N8N_DIAGNOSTICS_ENABLED: 'false',
  N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
  N8N_TEMPLATES_ENABLED: 'false',
  N8N_PERSONALIZATION_ENABLED: 'false',
  N8N_HIRING_BANNER_ENABLED: 'false',
  N8N_SECURE_COOKIE: 'false',
  N8N_RUNNERS_BROKER_PORT: String(port + 1),
  N8N_LOG_LEVEL: 'warn',
  GENERIC_TIMEZONE: 'UTC',
  NO_PROXY: '127.0.0.1,localhost',
  // Jest sets `test`, with which n8n exits immediately.
  NODE_ENV: 'production',
});

/** One n8n process. The package must be installed in its user folder before the start. */
export class N8nProcess {
  private constructor(
    readonly url: string,
    private readonly child: ChildProcess,
  ) {}

  static async start(options: ProcessOptions): Promise<N8nProcess> {
    const { command = 'start', port, userFolder, release = RELEASES.newest, env } = options;
    mkdirSync(userFolder, { recursive: true });
    const logFile = join(userFolder, `n8n-${command}-${port}.log`);
    const log = createWriteStream(logFile, { flags: 'a' });
    const child = spawn(NODE, [n8nScript(release), command], {
      env: { ...process.env, ...settings(options), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A separate process group: Ctrl-C signals only this process, which then stops n8n and its child processes.
      detached: true,
    });
    child.stdout?.pipe(log);
    child.stderr?.pipe(log);
    const started = new N8nProcess(`http://127.0.0.1:${port}`, child);
    try {
      await started.ready();
    } catch (error) {
      await started.stop();
      throw new Error(`${(error as Error).message}; its log is ${logFile}`);
    }
    return started;
  }

  private async ready(): Promise<void> {
    for (let tries = 0; tries < 1_200; tries++) {
      const { exitCode, signalCode } = this.child;
      if (exitCode !== null || signalCode !== null)
        throw new Error(`n8n ended with ${exitCode ?? signalCode}`);
      const health = await fetch(`${this.url}/healthz/readiness`).catch(() => undefined);
      if (health?.ok) return;
      await wait(500);
    }
    throw new Error('n8n did not get ready within ten minutes');
  }

  /** Stops the process in order: it finishes its running executions. */
  async stop(): Promise<void> {
    const killed = setTimeout(() => void this.kill(), 15_000);
    await this.signal('SIGTERM');
    clearTimeout(killed);
  }

  /** Kills the process, as a crash does. */
  kill(): Promise<void> {
    return this.signal('SIGKILL');
  }

  private async signal(signal: NodeJS.Signals): Promise<void> {
    const { pid, exitCode, signalCode } = this.child;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    const ended = once(this.child, 'exit');
    process.kill(-pid, signal);
    await ended;
  }
}
