import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { n8nScript, NODE, RELEASES, type N8nRelease } from './n8n';

export interface ProcessOptions {
  /** n8n's command: `start` is the editor with everything; `webhook` and `worker` are the parts of queue mode. */
  command?: 'start' | 'webhook' | 'worker';
  /** Of its http server; the next one is the task broker's. */
  port: number;
  /** Holds the database, the installed package and the log. */
  userFolder: string;
  release?: N8nRelease;
  env?: Record<string, string>;
}

/** Quiet, offline, and reachable over plain http on loopback. */
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
  // Jest says `test`, and with that n8n ends at once.
  NODE_ENV: 'production',
});

/** One process of a real n8n; the package has to be installed in its user folder before. */
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
      // Its own group: Ctrl-C reaches us first, and we end n8n with all that it started.
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

  /** Ends it as an operator does: it may finish what it is doing. */
  async stop(): Promise<void> {
    const killed = setTimeout(() => void this.kill(), 15_000);
    await this.signal('SIGTERM');
    clearTimeout(killed);
  }

  /** Ends it as a crash does. */
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
