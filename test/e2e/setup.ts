import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const E2E = __dirname;
const ROOT = join(E2E, '..', '..');
const STAMP = join(E2E, 'node_modules', '.installed-from');

const npm = (...args: string[]) =>
  execFileSync('npm', args, { cwd: E2E, stdio: ['ignore', 'inherit', 'inherit'] });

/** Installs n8n, Node 24 and the browser driver from the lock file, once: some minutes, 3 GB. */
export function installN8n(): void {
  const lock = createHash('sha256')
    .update(readFileSync(join(E2E, 'package-lock.json')))
    .digest('hex');
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === lock) return;
  console.log('Installing n8n (once, some minutes) …');
  npm('ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error');
  // The two that need their install scripts: Node 24 fetches its binary package, SQLite is compiled.
  npm('rebuild', 'node', 'sqlite3', '--ignore-scripts=false', '--loglevel', 'error');
  writeFileSync(STAMP, lock);
}

/**
 * Packs the built package and unpacks it where n8n looks for packages installed by hand
 * (`~/.n8n/nodes/node_modules`): type names and module resolution are those of a real installation.
 */
export function installPackage(userFolder: string): void {
  const target = join(userFolder, '.n8n', 'nodes', 'node_modules', 'n8n-nodes-record-database');
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  execFileSync('npm', ['pack', '--silent', '--pack-destination', target], { cwd: ROOT, stdio: 'ignore' });
  const tarball = readdirSync(target).find((name) => name.endsWith('.tgz')) ?? '';
  execFileSync('tar', ['-xzf', tarball, '--strip-components=1'], { cwd: target });
  rmSync(join(target, tarball));
}
