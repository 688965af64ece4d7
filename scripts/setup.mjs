/**
 * Prepares a fresh clone: installs the versions of the lock file unless they are installed, and builds unless `dist`
 * is current. Every command of the README starts with it; it needs only Node and npm.
 * `--no-build` leaves the build out, `--no-check` builds without a type check.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const STAMP = 'node_modules/.installed-from';
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(
    `Node 20.19 or later is required; this is ${process.version}. Install a newer Node and try again.`,
  );
  process.exit(1);
}

const succeeds = (command, ...args) => spawnSync(command, args, { stdio: 'inherit' }).status === 0;

const lock = createHash('sha256').update(readFileSync('package-lock.json')).digest('hex');
if (!existsSync(STAMP) || readFileSync(STAMP, 'utf8') !== lock) {
  console.log('Installing the development dependencies (once, about a minute) …');
  const install = () => succeeds('npm', 'ci', '--no-audit', '--no-fund', '--loglevel', 'error');
  // The second attempt covers a short network failure.
  if (!install() && !install()) process.exit(1);
  writeFileSync(STAMP, lock);
}
const settings = process.argv.filter((argument) => argument === '--no-check');
const build = () => succeeds('node', 'scripts/build.mjs', '--if-stale', ...settings);
if (!process.argv.includes('--no-build') && !build()) process.exit(1);
