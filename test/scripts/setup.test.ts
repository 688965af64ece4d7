/* eslint-disable @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SETUP = join(__dirname, '..', '..', 'scripts', 'setup.mjs');

type Packages = Record<string, { version?: string; optional?: boolean }>;

const folder = mkdtempSync(join(tmpdir(), 'record-database-setup-'));
const calls = join(folder, 'calls');

afterAll(() => rmSync(folder, { recursive: true }));

/** Runs `setup.mjs --no-build` on a project with these packages, and returns the calls of npm. */
function setUp(required: Packages, installed?: Packages): string[] {
  rmSync(join(folder, 'node_modules'), { recursive: true, force: true });
  rmSync(calls, { force: true });
  mkdirSync(join(folder, 'bin'), { recursive: true });
  writeFileSync(join(folder, 'bin', 'npm'), `#!/bin/sh\necho "$1" >> "${calls}"\n`, { mode: 0o755 });
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages: required }));
  if (installed) {
    mkdirSync(join(folder, 'node_modules'));
    writeFileSync(
      join(folder, 'node_modules', '.package-lock.json'),
      JSON.stringify({ packages: installed }),
    );
  }
  const env = { ...process.env, PATH: `${join(folder, 'bin')}:${process.env.PATH}` };
  const { status } = spawnSync(process.execPath, [SETUP, '--no-build'], { cwd: folder, env });
  expect(status).toBe(0);
  return existsSync(calls) ? readFileSync(calls, 'utf8').trim().split('\n') : [];
}

const project = { version: '0.0.0' };
const luxon = (version: string): Packages => ({ 'node_modules/luxon': { version } });

test.each<[name: string, required: Packages, installed: Packages | undefined, calls: string[]]>([
  ['nothing is installed', luxon('3.0.0'), undefined, ['ci']],
  ['another version is installed', luxon('3.0.0'), luxon('2.0.0'), ['ci']],
  ['a package is missing', luxon('3.0.0'), {}, ['ci']],
  ['the versions of the lock file are installed', luxon('3.0.0'), luxon('3.0.0'), []],
  [
    'an optional package of another platform is missing',
    { 'node_modules/a': { version: '1.0.0', optional: true } },
    {},
    [],
  ],
])('%s', (_, required, installed, expected) => {
  expect(setUp({ '': project, ...required }, installed)).toEqual(expected);
});
