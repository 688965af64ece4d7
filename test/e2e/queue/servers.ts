/* eslint-disable @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installDebian } from '../debian';
import { removeFolder } from '../removeFolder';
import { until } from '../until';

/** A server on loopback. Its data folder is removed when it stops. */
export interface Server {
  /** Environment variables with which n8n uses it. */
  env: Record<string, string>;
  stop(): Promise<void>;
}

const VERSIONS = '/usr/lib/postgresql';

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

/** Waits until a check no longer throws. */
const ready = (what: string, child: ChildProcess, check: () => unknown): Promise<void> =>
  until(what, () => {
    if (child.exitCode !== null) throw new Error(`${what} ended at once, with ${child.exitCode}`);
    try {
      check();
      return true;
    } catch {
      return false;
    }
  });

function serverOf(child: ChildProcess, folder: string, env: Record<string, string>): Server {
  const stop = async () => {
    if (child.exitCode === null) {
      const ended = once(child, 'exit');
      // Both servers then shut down immediately and in order. After a SIGTERM, Postgres would wait for its clients.
      child.kill('SIGINT');
      await ended;
    }
    removeFolder(folder);
  };
  return { env, stop };
}

/** Redis for the queue, without persistence. */
export async function startRedis(): Promise<Server> {
  installDebian({ '/usr/bin/redis-server': 'redis-server', '/usr/bin/redis-cli': 'redis-tools' });
  const port = String(await freePort());
  const folder = mkdtempSync(join(tmpdir(), 'queue-redis-'));
  const args = ['--port', port, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder];
  const child = spawn('/usr/bin/redis-server', args, { stdio: 'ignore' });
  await ready('Redis', child, () =>
    execFileSync('/usr/bin/redis-cli', ['-p', port, 'ping'], { stdio: 'ignore' }),
  );
  return serverOf(child, folder, { QUEUE_BULL_REDIS_HOST: '127.0.0.1', QUEUE_BULL_REDIS_PORT: port });
}

/** Postgres refuses to run as root; Debian's package creates a user for it. */
function unprivileged(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

/** The newest installed version. */
function programs(): string {
  const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS) : [];
  const bins = versions.sort((a, b) => Number(b) - Number(a)).map((one) => join(VERSIONS, one, 'bin'));
  const found = bins.find((bin) => existsSync(join(bin, 'postgres')));
  if (!found) throw new Error(`there is no Postgres server in ${VERSIONS}`);
  return found;
}

/** Postgres as n8n's database, because n8n does not support SQLite in queue mode. Only its folder differs from Debian's setup. */
export async function startPostgres(): Promise<Server> {
  installDebian({ '/usr/bin/pg_ctlcluster': 'postgresql' });
  const user = unprivileged();
  const bin = programs();
  const port = String(await freePort());
  const password = randomBytes(12).toString('hex');
  const folder = mkdtempSync(join(tmpdir(), 'queue-postgres-'));
  const [data, secret] = [join(folder, 'data'), join(folder, 'password')];
  writeFileSync(secret, password);
  for (const path of [folder, secret]) chownSync(path, user.uid ?? -1, user.gid ?? -1);
  const init = [
    '-D',
    data,
    '-U',
    'n8n',
    '--auth=scram-sha-256',
    `--pwfile=${secret}`,
    '--encoding=UTF8',
    '--locale=C',
  ];
  execFileSync(join(bin, 'initdb'), init, { ...user, cwd: folder, stdio: 'ignore' });
  const args = ['-D', data, '-p', port, '-h', '127.0.0.1', '-c', 'unix_socket_directories='];
  const child = spawn(join(bin, 'postgres'), args, { ...user, cwd: folder, stdio: 'ignore' });
  await ready('Postgres', child, () =>
    execFileSync(join(bin, 'pg_isready'), ['-h', '127.0.0.1', '-p', port], { stdio: 'ignore' }),
  );
  return serverOf(child, folder, {
    DB_TYPE: 'postgresdb',
    DB_POSTGRESDB_HOST: '127.0.0.1',
    DB_POSTGRESDB_PORT: port,
    DB_POSTGRESDB_USER: 'n8n',
    DB_POSTGRESDB_PASSWORD: password,
    DB_POSTGRESDB_DATABASE: 'postgres',
  });
}
