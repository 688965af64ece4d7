/* eslint-disable @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

declare const requireOnce: NodeJS.Require;

/** Runs the test files of a folder in this environment, and removes the folder. */
function runJest(folder: string, option: string) {
  const { workerGracefulExitTimeout } = requireOnce('../jest.config') as Record<string, unknown>;
  const testEnvironment = join(__dirname, '..', 'environment', 'sharedContext.js');
  const config = { rootDir: folder, testEnvironment, transform: {}, workerGracefulExitTimeout };
  const jest = requireOnce.resolve('jest/bin/jest');
  const args = ['--expose-gc', jest, '--config', JSON.stringify(config), option];
  const run = spawnSync(process.execPath, args, { encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  return run;
}

test('a worker has time to end after its last test', () => {
  const folder = mkdtempSync(join(tmpdir(), 'record-database-workers-'));
  const file = `test('x', () => { setTimeout(() => {}, 2_000); });`;
  for (const name of ['one', 'two']) writeFileSync(join(folder, `${name}.test.js`), file);
  const { stderr } = runJest(folder, '--maxWorkers=2');
  expect(stderr).toContain('Tests:       2 passed, 2 total');
  expect(stderr).not.toContain('force');
});

test('what Jest adds to the process for a file is freed after it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'record-database-freed-'));
  const file = `test('x', () => {
    const exits = (globalThis.exits ??= []);
    exits.push(new WeakRef(process.exit));
    if (exits.length < 3) return;
    globalThis.gc();
    expect(exits[0].deref()).toBeUndefined();
  });`;
  for (const name of ['one', 'two', 'three']) writeFileSync(join(folder, `${name}.test.js`), file);
  const { stderr } = runJest(folder, '--runInBand');
  expect(stderr).toContain('Tests:       3 passed, 3 total');
});
