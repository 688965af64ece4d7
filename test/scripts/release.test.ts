/* eslint-disable @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { n8n, publishConfig, scripts, version } from '../../package.json';
import { NPX, ScriptFolder, SOURCES } from './scriptFolder';

const CHANGELOG = `# Changelog

## [1.2.3] - 2026-01-02

### Added

- A node.

## [1.2.2] - 2026-01-01

- The first version.

[1.2.3]: https://example.com/1.2.3
`;

/** Release 1.2.3: committed, built and with an entry in the changelog. */
const release = new ScriptFolder();
/** A copy of it, for one test. */
let folder = release;

const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args], {
    cwd: folder.path,
  });

const commit = () => {
  git('add', '--all');
  git('commit', '--quiet', '--message', 'Change');
};

const build = () => folder.run('build.mjs', ['--if-stale']);

beforeAll(() => {
  folder.addCommand('npx', NPX);
  folder.addCommand('npm', 'echo "$*" >> calls');
  for (const source of SOURCES) folder.write(source, 'first');
  folder.write('package.json', JSON.stringify({ name: 'a-package', version: '1.2.3' }));
  folder.write('CHANGELOG.md', CHANGELOG);
  folder.write('.gitignore', '.cache\ndist\ncalls\n');
  git('init', '--quiet');
  commit();
  build();
});

beforeEach(() => {
  folder = release.copy();
});

afterEach(() => folder.remove());
afterAll(() => release.remove());

/** Runs what npm runs before it publishes. */
function check(env?: Record<string, string>) {
  const [, script, ...args] = scripts.prepublishOnly.split(' ') as [string, string, ...string[]];
  return folder.run(script.replace('scripts/', ''), args, env);
}

test('accepts a current build of a committed version, with its tag or before it is tagged', () => {
  expect(check()).toEqual({ status: 0, output: '', calls: [] });
  git('tag', 'v1.2.3');
  expect(check()).toEqual({ status: 0, output: '', calls: [] });
  expect(check({ GITHUB_REF_TYPE: 'tag', GITHUB_REF_NAME: 'v1.2.3' }).status).toBe(0);
});

test.each<[problem: string, text: string, cause: () => Record<string, string> | void]>([
  ['a change that is not committed', 'not committed', () => folder.write('README.md', 'changed')],
  [
    'a stale build',
    'Run npm run build',
    () => {
      folder.write('nodes/node.ts', 'second');
      commit();
    },
  ],
  ['another tag', 'Tag v1.2.3', () => void git('tag', 'v1.2.4')],
  [
    'another tag in GitHub Actions',
    'Tag v1.2.3',
    () => ({ GITHUB_REF_TYPE: 'tag', GITHUB_REF_NAME: 'v1.2.4' }),
  ],
  [
    'a version without an entry in the changelog',
    'no entry for 1.2.3',
    () => {
      folder.write('CHANGELOG.md', '# Changelog\n');
      commit();
    },
  ],
])('refuses %s', (_, text, cause) => {
  const env = cause() ?? {};
  const { status, output } = check(env);
  expect(status).toBe(1);
  expect(output).toContain(text);
});

test('packs a tarball and its release notes, for the jobs that publish and announce', () => {
  folder.addCommand('npm', 'echo "$*" >> calls; echo packed > "$4/a-package-1.2.3.tgz"');
  commit();
  expect(folder.run('release.mjs', ['--pack', 'release'])).toMatchObject({
    status: 0,
    calls: ['pack --silent --pack-destination release'],
  });
  expect(readFileSync(`${folder.path}/release/package.tgz`, 'utf8')).toBe('packed\n');
  expect(readFileSync(`${folder.path}/release/notes.md`, 'utf8')).toBe('### Added\n\n- A node.\n');
});

test('packs nothing that is not ready for release', () => {
  folder.write('CHANGELOG.md', '# Changelog\n');
  const { status, output, calls } = folder.run('release.mjs', ['--pack', 'release']);
  expect(status).toBe(1);
  expect(output).toContain('no entry for 1.2.3');
  expect(calls).toEqual([]);
});

test('a step without the path that it needs, or an unknown one, is refused', () => {
  expect(folder.run('release.mjs', ['--pack'])).toMatchObject({ status: 1, calls: [] });
  expect(folder.run('release.mjs', ['--publish'])).toMatchObject({ status: 1, calls: [] });
});

test('starts n8n with the tarball, and fails when that fails', () => {
  folder.addCommand('npx', 'echo "$*" >> calls');
  expect(folder.run('release.mjs', ['--start', 'a.tgz'])).toMatchObject({
    status: 0,
    calls: ['--no-install tsx test/e2e/startTarball.ts a.tgz'],
  });
  folder.addCommand('npx', 'exit 3');
  expect(folder.run('release.mjs', ['--start', 'a.tgz']).status).toBe(3);
});

test.each([
  ['the tarball', 0, 'a-package 1.2.3 is a.tgz'],
  ['another file', 1, 'The registry has a-package 1.2.3 with the hash sha512-'],
])('a published version that is %s ends with %i', (file, status, text) => {
  folder.write('a.tgz', 'the tarball');
  const hash = createHash('sha512').update(file).digest('base64');
  folder.addCommand('npm', `echo "$*" >> calls; echo sha512-${hash}`);
  const run = folder.run('release.mjs', ['--compare-published', 'a.tgz']);
  expect(run).toMatchObject({ status, calls: ['view a-package@1.2.3 dist.integrity'] });
  expect(run.output).toContain(text);
});

test('the dry run builds and scans, and publishes nothing', () => {
  const { output, calls } = folder.run('release.mjs', ['--dry-run']);
  expect(calls).toEqual(['run --silent build', 'run --silent scan', 'pack --dry-run']);
  expect(output).toContain('- A node.');
  expect(output).toContain('Ready for release.');
});

test("the package is published for all, with provenance and n8n's strict rules", () => {
  expect(publishConfig).toEqual({ access: 'public', provenance: true });
  expect(n8n.strict).toBe(true);
});

test('the current version has an entry in the changelog', () => {
  expect(readFileSync('CHANGELOG.md', 'utf8')).toMatch(
    new RegExp(`^## \\[${version}\\] - \\d{4}-\\d\\d-\\d\\d$`, 'm'),
  );
});
