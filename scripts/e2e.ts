/**
 * `npm run e2e`: installs what is missing (a browser, Redis, Postgres, two releases of n8n), then drives the
 * packed package in each release, `npm run n8n`, and n8n's queue mode. `npm run e2e -- queue` runs only the
 * parts with that in their name.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { installDebian } from '../test/e2e/debian';
import { installN8n, RELEASES, versionOf } from '../test/e2e/n8n';

const ROOT = join(__dirname, '..');

function run(command: string, args: string[], env: Record<string, string> = {}): boolean {
  const { status } = spawnSync(command, args, {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  return status === 0;
}

const tests = (pattern: string, release: string) =>
  run('npx', ['jest', '-c', 'jest.e2e.config.js', pattern], { N8N_RELEASE: release });

/**
 * What is driven here is n8n's editor, a browser and a cluster of processes, whose haste is not ours to order: what
 * fails is tried once more from its beginning. The summary tells, and a fault of the package fails twice.
 */
function outcomeOf(name: string, attempt: () => boolean): [line: string, passed: boolean] {
  if (attempt()) return [`✓ ${name}`, true];
  console.log(`\n${name} failed; it is tried once more …\n`);
  return attempt() ? [`✓ ${name} (at the second attempt)`, true] : [`✗ ${name}`, false];
}

// Redis and Postgres: the queue's own test installs them.
installDebian({ '/usr/bin/chromium': 'chromium' });
Object.values(RELEASES).forEach(installN8n);

const [only] = process.argv.slice(2);
const outcomes = [
  outcomeOf('types of the browser tests', () => run('npx', ['tsc', '-p', 'test/e2e/browser'])),
];
function part(pattern: string, name: string, release: string): void {
  if (!only || name.includes(only)) outcomes.push(outcomeOf(name, () => tests(`e2e/${pattern}`, release)));
}
for (const [key, release] of Object.entries(RELEASES)) {
  part('browser', `browser, n8n ${versionOf(release)}`, key);
}
part('command', `npm run n8n, n8n ${versionOf(RELEASES.newest)}`, 'newest');
part('queue', `queue mode, n8n ${versionOf(RELEASES.newest)}`, 'newest');

console.log(outcomes.map(([line]) => line).join('\n'));
process.exit(outcomes.every(([, passed]) => passed) ? 0 : 1);
