/**
 * Prepares a fresh clone: installs the versions of the lock file unless they are installed, and builds unless `dist`
 * is current. Every command of the README starts with it; it needs only Node and npm.
 * `--no-build` leaves the build out.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(
    `Node 20.19 or later is required; this is ${process.version}. Install a newer Node and try again.`,
  );
  process.exit(1);
}

const succeeds = (command, ...args) => spawnSync(command, args, { stdio: 'inherit' }).status === 0;

/** Packages of a lock file by folder; npm lists what it has installed in `node_modules/.package-lock.json`. */
const readPackages = (path) => (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).packages : {});

/** Whether the versions of the lock file are installed. Optional packages may be for other platforms. */
function isInstalled() {
  const { '': _project, ...required } = readPackages('package-lock.json');
  const installed = readPackages('node_modules/.package-lock.json');
  return Object.entries(required).every(
    ([folder, { version, optional }]) => optional || installed[folder]?.version === version,
  );
}

if (!isInstalled()) {
  const step = fileURLToPath(new URL('step.mjs', import.meta.url));
  const title = 'Installing the development dependencies: once, one to three minutes';
  const npm = ['npm', 'ci', '--no-audit', '--no-fund', '--loglevel', 'error'];
  const install = () => succeeds('node', step, title, ...npm);
  // The second attempt covers a short network failure.
  if (!install() && !install()) process.exit(1);
}
const build = () => succeeds('node', 'scripts/build.mjs', '--if-stale');
if (!process.argv.includes('--no-build') && !build()) process.exit(1);
