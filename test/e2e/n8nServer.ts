import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { E2E, installPackage } from './setup';

const bin = (...path: string[]) => join(E2E, 'node_modules', ...path);

/** Quiet, offline, and reachable over plain http on loopback. */
const settings = (port: number, userFolder: string) => ({
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
});

/** A real n8n with the packed package, as a process of its own. */
export class N8nServer {
  private constructor(
    readonly url: string,
    private readonly child: ChildProcess,
  ) {}

  static async start(port: number, userFolder: string): Promise<N8nServer> {
    mkdirSync(userFolder, { recursive: true });
    installPackage(userFolder);
    const log = createWriteStream(join(userFolder, 'n8n.log'), { flags: 'a' });
    const child = spawn(bin('node', 'bin', 'node'), [bin('n8n', 'bin', 'n8n'), 'start'], {
      env: { ...process.env, ...settings(port, userFolder) },
      stdio: ['ignore', 'pipe', 'pipe'],
      // Its own group: Ctrl-C reaches us first, and we end n8n with all that it started.
      detached: true,
    });
    child.stdout?.pipe(log);
    child.stderr?.pipe(log);
    const server = new N8nServer(`http://127.0.0.1:${port}`, child);
    try {
      await server.ready();
    } catch (error) {
      await server.stop();
      throw new Error(`${(error as Error).message}; its log is ${join(userFolder, 'n8n.log')}`);
    }
    return server;
  }

  private async ready(): Promise<void> {
    for (let tries = 0; tries < 240; tries++) {
      if (this.child.exitCode !== null) throw new Error(`n8n ended with code ${this.child.exitCode}`);
      const health = await fetch(`${this.url}/healthz/readiness`).catch(() => undefined);
      if (health?.ok) return;
      await wait(500);
    }
    throw new Error('n8n did not get ready within two minutes');
  }

  async stop(): Promise<void> {
    const { pid, exitCode, signalCode } = this.child;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    const ended = once(this.child, 'exit');
    process.kill(-pid, 'SIGTERM');
    const killed = setTimeout(() => process.kill(-pid, 'SIGKILL'), 15_000);
    await ended;
    clearTimeout(killed);
  }
}
