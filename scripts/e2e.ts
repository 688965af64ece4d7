/* eslint-disable @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, no-console -- not shipped: runs on Node */
/**
 * `npm run test:e2e`: installs what is missing (a browser, Redis, Postgres, two releases of n8n), then drives the
 * packed package in each release, `npm run n8n`, and n8n's queue mode. `npm run test:e2e -- queue` runs only the
 * parts with that in their name. `npm run test:e2e -- --install` only installs.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { installDebian } from '../test/e2e/debian';
import { installN8n, PICTURES, RELEASES, versionOf } from '../test/e2e/n8n';

const ROOT = join(__dirname, '..');

function run(command: string, args: string[], env: Record<string, string> = {}): boolean {
  const { status } = spawnSync(command, args, {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  return status === 0;
}

const OPTIONS = [
  '--runInBand',
  // Milliseconds. Ends what hangs; on a busy machine the queue alone takes some minutes.
  '--testTimeout=3600000',
  // Where n8n or the browser did not start, something of it may keep the process alive.
  '--forceExit',
];

const runTests = (pattern: string, release: string) =>
  run('npx', ['jest', pattern, ...OPTIONS, '--selectProjects', 'editor', 'processes'], {
    N8N_RELEASE: release,
  });

/**
 * Runs a failed part once more from its beginning, because the timing of n8n's editor, the browser and the processes
 * is not under the control of the tests. The summary shows repeated parts. A fault of the package fails both times.
 */
function runWithRetry(name: string, attempt: () => boolean): [line: string, passed: boolean] {
  if (attempt()) return [`✓ ${name}`, true];
  console.log(`\n${name} failed; it is tried once more …\n`);
  return attempt() ? [`✓ ${name} (at the second attempt)`, true] : [`✗ ${name}`, false];
}

const [only] = process.argv.slice(2);

// The test of queue mode installs Redis and Postgres.
installDebian({ '/usr/bin/chromium': 'chromium' });
[...Object.values(RELEASES), PICTURES].forEach(installN8n);
if (only === '--install') process.exit(0);

const outcomes = [
  runWithRetry('types of the browser tests', () => run('npx', ['tsc', '-p', 'test/e2e/browser'])),
];
function runPart(pattern: string, name: string, release: string): void {
  if (!only || name.includes(only))
    outcomes.push(runWithRetry(name, () => runTests(`e2e/${pattern}`, release)));
}
// A change is tried with a share of the examples, and in the oldest release with what reads, writes and starts. The nightly
// run and `npm run test:e2e` try all in both.
process.env.RUNS_SHARE ??= '1';
const isShort = Number(process.env.RUNS_SHARE) < 1;
for (const [key, release] of Object.entries(RELEASES)) {
  const editor = isShort && release !== RELEASES.newest ? 'browser/(records|trigger)' : 'browser';
  runPart(
    `(${editor}|agents|users|waiting)`,
    `${editor}, agents, MCP clients, users and waits, n8n ${versionOf(release)}`,
    key,
  );
}
runPart('command', `npm run n8n, n8n ${versionOf(RELEASES.newest)}`, 'newest');
runPart('queue', `queue mode, n8n ${versionOf(RELEASES.newest)}`, 'newest');

console.log(outcomes.map(([line]) => line).join('\n'));
process.exit(outcomes.every(([, passed]) => passed) ? 0 : 1);
