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

// Redis and Postgres: the queue's own test installs them.
installDebian({ '/usr/bin/chromium': 'chromium' });
Object.values(RELEASES).forEach(installN8n);

const [only] = process.argv.slice(2);
const outcomes: Array<[name: string, passed: boolean]> = [
  ['types of the browser tests', run('npx', ['tsc', '-p', 'test/e2e/browser'])],
];
for (const [key, release] of Object.entries(RELEASES)) {
  const name = `browser, n8n ${versionOf(release)}`;
  if (!only || name.includes(only)) outcomes.push([name, tests('e2e/browser', key)]);
}
for (const [part, title] of [
  ['command', 'npm run n8n'],
  ['queue', 'queue mode'],
] as const) {
  const name = `${title}, n8n ${versionOf(RELEASES.newest)}`;
  if (!only || name.includes(only)) outcomes.push([name, tests(`e2e/${part}`, 'newest')]);
}

console.log(outcomes.map(([name, passed]) => `${passed ? '✓' : '✗'} ${name}`).join('\n'));
process.exit(outcomes.every(([, passed]) => passed) ? 0 : 1);
