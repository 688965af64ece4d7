/**
 * Makes a fresh clone ready: installs what the lock file names when it is not installed yet, then builds.
 * `--no-build` leaves the build out. Needs Node alone; every command of the README starts with it.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const STAMP = 'node_modules/.installed-from';
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(
    `This needs Node 20.19 or later; it runs on ${process.version}. Install a newer Node and try again.`,
  );
  process.exit(1);
}

const succeeds = (command, ...args) => spawnSync(command, args, { stdio: 'inherit' }).status === 0;

const lock = createHash('sha256').update(readFileSync('package-lock.json')).digest('hex');
if (!existsSync(STAMP) || readFileSync(STAMP, 'utf8') !== lock) {
  console.log('Installing the development dependencies (once, about a minute) …');
  const install = () => succeeds('npm', 'ci', '--no-audit', '--no-fund', '--loglevel', 'error');
  // A second time, for a network that failed for a moment.
  if (!install() && !install()) process.exit(1);
  writeFileSync(STAMP, lock);
}
if (!process.argv.includes('--no-build') && !succeeds('node', 'scripts/build.mjs')) process.exit(1);
