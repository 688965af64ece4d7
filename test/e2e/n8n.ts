/* eslint-disable @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, no-console -- not shipped: runs on Node */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { persistently } from './persistently';

const ROOT = join(__dirname, '..', '..');

/** An n8n release under test, or other packages: a folder with its own package file and lock file. */
export interface N8nRelease {
  name: string;
  folder: string;
  /** Packages whose install scripts have to run: Node 24 fetches its binary package, SQLite is compiled. */
  built: string[];
}

export const RELEASES = {
  newest: { name: 'newest', folder: __dirname, built: ['node', 'sqlite3'] },
  v1: { name: '1.123', folder: join(__dirname, 'n8n-1.123'), built: ['sqlite3'] },
} satisfies Record<string, N8nRelease>;

/** What makes the animated picture of the README. */
export const PICTURES: N8nRelease = { name: 'pictures', folder: join(__dirname, 'browser'), built: [] };

const bin = (folder: string, ...path: string[]) => join(folder, 'node_modules', ...path);

/** The Node.js version for n8n, which may differ from that of the tests. */
export const NODE = bin(RELEASES.newest.folder, 'node', 'bin', 'node');

/** The script of n8n's command line. */
export const n8nScript = ({ folder }: N8nRelease) => bin(folder, 'n8n', 'bin', 'n8n');

export const versionOf = ({ folder }: N8nRelease): string =>
  (JSON.parse(readFileSync(bin(folder, 'n8n', 'package.json'), 'utf8')) as { version: string }).version;

/** Installs a release from its lock file, once. This takes some minutes and 3 GB. */
export function installN8n({ folder, built }: N8nRelease = RELEASES.newest): void {
  const stamp = bin(folder, '.installed-from');
  const lock = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  const packages = `the packages of ${relative(ROOT, folder)}`;
  const npm = (title: string, ...args: string[]) =>
    execFileSync('node', [join(ROOT, 'scripts', 'step.mjs'), title, 'npm', ...args], {
      cwd: folder,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
  persistently('npm ci', () =>
    npm(
      `Installing ${packages}: once, two to ten minutes`,
      ...['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error'],
    ),
  );
  // Without names, npm would run the scripts of all packages.
  if (built.length > 0) {
    persistently('npm rebuild', () =>
      npm(
        `Preparing ${built.join(' and ')} of ${packages}: once, up to two minutes`,
        ...['rebuild', ...built, '--ignore-scripts=false', '--loglevel', 'error'],
      ),
    );
  }
  writeFileSync(stamp, lock);
}

/** Packs the built package. Returns the path of the tarball, in a new folder. */
function packPackage(): string {
  const folder = mkdtempSync(join(tmpdir(), 'record-database-'));
  execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: ROOT, stdio: 'ignore' });
  return join(folder, readdirSync(folder)[0] ?? '');
}

/**
 * Unpacks a tarball, or else that of the built package, where n8n looks for packages installed by hand
 * (`~/.n8n/nodes/node_modules`): type names and module resolution are those of a real installation.
 * Returns the folder of the package.
 */
export function installPackage(userFolder: string, tarball?: string): string {
  const target = join(userFolder, '.n8n', 'nodes', 'node_modules', 'n8n-nodes-record-database');
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const packed = tarball ?? packPackage();
  execFileSync('tar', ['-xzf', resolve(packed), '--strip-components=1'], { cwd: target });
  if (tarball === undefined) rmSync(dirname(packed), { recursive: true });
  return target;
}
