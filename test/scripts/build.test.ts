/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { scaleSize } from '../randomness';
import { NPX, ScriptFolder, SOURCES } from './scriptFolder';

let folder: ScriptFolder;

beforeEach(() => {
  folder = new ScriptFolder();
  folder.addCommand('npx', NPX);
  for (const source of SOURCES) folder.write(source, 'first');
});

afterEach(() => folder.remove());

/** Runs `build.mjs --if-stale`, and returns its exit code and the tools that it called. */
function build() {
  const { status, calls } = folder.run('build.mjs', ['--if-stale']);
  return { status, calls };
}

const BUILT = { status: 0, calls: ['tsc', 'gulp'] };
const SKIPPED = { status: 0, calls: [] };

const CHANGES: Array<[change: string, apply: () => void]> = [
  ...SOURCES.filter((_, n) => scaleSize(n % 2 === 0, true)).map((source): [string, () => void] => [
    source,
    () => folder.write(source, 'second'),
  ]),
  ['a new file', () => folder.write('nodes/added.ts', '')],
  ['a removed file', () => folder.remove('nodes/added.ts')],
  [
    'a renamed file',
    () => renameSync(join(folder.path, 'nodes/node.ts'), join(folder.path, 'nodes/renamed.ts')),
  ],
  ['a removed dist', () => folder.remove('dist')],
];

test('a change of each source, and of the files themselves, makes the build stale', () => {
  expect(build()).toEqual(BUILT);
  expect(build()).toEqual(SKIPPED);
  for (const [change, apply] of CHANGES) {
    apply();
    expect([change, build()]).toEqual([change, BUILT]);
  }
  expect(build()).toEqual(SKIPPED);
});

test('a failed build is repeated, and a stale dist is gone', () => {
  build();
  folder.write('nodes/node.ts', 'second');
  folder.write('broken', '');
  expect(build()).toEqual({ status: 2, calls: [] });
  expect(existsSync(join(folder.path, 'dist'))).toBe(false);
  folder.remove('broken');
  expect(build()).toEqual(BUILT);
});
