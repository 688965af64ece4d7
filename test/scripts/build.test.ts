/* eslint-disable @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const BUILD = join(__dirname, '..', '..', 'scripts', 'build.mjs');
const SOURCES = [
  'nodes/node.ts',
  'nodes/shared/type.ts',
  'credentials/api.ts',
  'icons/icon.svg',
  'tsconfig.json',
  'tsconfig.build.json',
  'gulpfile.js',
  'scripts/build.mjs',
];

/** Stands in for `npx tsc` and `npx gulp`: records the call, writes `dist`, and fails while a file `broken` exists. */
const NPX = '#!/bin/sh\n[ ! -e broken ] || exit 2\necho "$2" >> calls\nmkdir -p dist/nodes\n';

let project: string;

const write = (path: string, content: string, mode?: number) =>
  writeFileSync(join(project, path), content, { mode });

beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'record-database-build-'));
  for (const folder of ['bin', 'nodes/shared', 'credentials', 'icons', 'scripts']) {
    mkdirSync(join(project, folder), { recursive: true });
  }
  write('bin/npx', NPX, 0o755);
  for (const source of SOURCES) write(source, 'first');
});

afterEach(() => rmSync(project, { recursive: true }));

/** Runs `build.mjs --if-stale`, and returns its exit code and the tools that it called. */
function build() {
  const calls = join(project, 'calls');
  rmSync(calls, { force: true });
  const env = { ...process.env, PATH: `${join(project, 'bin')}:${process.env.PATH}` };
  const { status } = spawnSync(process.execPath, [BUILD, '--if-stale'], { cwd: project, env });
  return { status, calls: existsSync(calls) ? readFileSync(calls, 'utf8').trim().split('\n') : [] };
}

const BUILT = { status: 0, calls: ['tsc', 'gulp'] };
const SKIPPED = { status: 0, calls: [] };

test('builds once', () => {
  expect(build()).toEqual(BUILT);
  expect(build()).toEqual(SKIPPED);
});

test.each(SOURCES)('a change of %s makes the build stale', (source) => {
  build();
  write(source, 'second');
  expect(build()).toEqual(BUILT);
  expect(build()).toEqual(SKIPPED);
});

test.each<[change: string, apply: () => void]>([
  ['a new file', () => write('nodes/added.ts', '')],
  ['a removed file', () => rmSync(join(project, 'nodes/node.ts'))],
  ['a renamed file', () => renameSync(join(project, 'nodes/node.ts'), join(project, 'nodes/renamed.ts'))],
  ['a removed dist', () => rmSync(join(project, 'dist'), { recursive: true })],
])('%s makes the build stale', (_, apply) => {
  build();
  apply();
  expect(build()).toEqual(BUILT);
});

test('a failed build is repeated, and a stale dist is gone', () => {
  build();
  write('nodes/node.ts', 'second');
  write('broken', '');
  expect(build()).toEqual({ status: 2, calls: [] });
  expect(existsSync(join(project, 'dist'))).toBe(false);
  rmSync(join(project, 'broken'));
  expect(build()).toEqual(BUILT);
});
