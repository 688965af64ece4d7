/* eslint-disable @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { parse } from 'yaml';
import manifest from '../../../package.json';

/** The workflows of GitHub Actions: what may publish the package, and what runs every night. */

interface Step {
  uses?: string;
  run?: string;
  env?: Record<string, string>;
  with?: Record<string, unknown>;
}

interface Job {
  needs?: string | string[];
  if?: string;
  environment?: string;
  outputs?: Record<string, string>;
  permissions?: Record<string, string>;
  strategy?: { matrix: Record<string, unknown[]> };
  steps: Step[];
}

interface Workflow {
  on: Record<string, unknown>;
  permissions: Record<string, string>;
  jobs: Record<string, Job>;
}

// Neither has types.
const parts = jest.requireActual<Record<string, { mutate: string[]; tests: string }>>('../../mutation/parts');
type Match = (paths: string[], patterns: string[]) => string[];
const micromatch = jest.requireActual<Match & { not: Match }>('micromatch');

const FOLDER = '.github/workflows';
const texts = readdirSync(FOLDER).map((name) => readFileSync(`${FOLDER}/${name}`, 'utf8'));
const workflows = texts.map((text) => parse(text) as Workflow);
const allJobs = workflows.flatMap(({ jobs }) => Object.entries(jobs));
const read = (name: string) => parse(readFileSync(`${FOLDER}/${name}.yml`, 'utf8')) as Workflow;
const { jobs: release } = read('release');
const nightly = read('nightly');

const listRuns = (job: Job | undefined) => (job?.steps ?? []).flatMap(({ run }) => run ?? []);
const listNeeds = (job: Job | undefined) => [job?.needs ?? []].flat();
const usesAction = (job: Job | undefined, name: string) =>
  (job?.steps ?? []).some(({ uses }) => uses?.startsWith(`actions/${name}@`));

test('each action is pinned by its commit, with the version beside it', () => {
  const lines = texts.flatMap((text) => text.match(/^.*\buses:.*$/gm) ?? []);
  expect(lines.length).toBeGreaterThan(20);
  expect(lines.filter((line) => !/ uses: [\w-]+\/[\w-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual(
    [],
  );
});

test('the same version of an action is used everywhere', () => {
  const used = new Set(texts.flatMap((text) => text.match(/(?<=uses: ).*$/gm) ?? []));
  const names = [...used].map((line) => line.split('@')[0]);
  expect(new Set(names).size).toBe(names.length);
});

test('only jobs that install nothing have a right to write', () => {
  expect(workflows.map(({ permissions }) => permissions)).toEqual(
    workflows.map(() => ({ contents: 'read' })),
  );
  const writing = allJobs.filter(([, { permissions }]) => Object.values(permissions ?? {}).includes('write'));
  expect(writing.map(([name, { permissions }]) => [name, permissions])).toEqual([
    ['report', { issues: 'write' }],
    ['publish', { 'id-token': 'write' }],
    ['announce', { contents: 'write' }],
  ]);
  for (const [, job] of writing) {
    expect(usesAction(job, 'checkout')).toBe(false);
    expect(listRuns(job).filter((run) => /\b(npm (ci|i|install|test|run)|npx|node)\b/.test(run))).toEqual([]);
  }
});

test('no checkout leaves its token in the folder in which installed packages run', () => {
  const checkouts = allJobs.flatMap(([, { steps }]) =>
    steps.filter(({ uses }) => uses?.startsWith('actions/checkout@')),
  );
  expect(checkouts.length).toBeGreaterThan(5);
  expect(checkouts.filter((step) => step.with?.['persist-credentials'] !== false)).toEqual([]);
});

test('the tarball is packed once, started in n8n, and published as it is after an approval', () => {
  expect(listRuns(release.pack)).toEqual(['npm ci', 'npm run build', 'npm run release -- --pack release']);
  expect(usesAction(release.pack, 'upload-artifact')).toBe(true);
  expect(listNeeds(release.start)).toEqual(['pack']);
  expect(usesAction(release.start, 'download-artifact')).toBe(true);
  expect(listRuns(release.start)).toContain('npm run release -- --start release/package.tgz');
  expect(release.publish?.environment).toBe('npm');
  expect(listNeeds(release.publish)).toEqual(['pack', 'test', 'start']);
  expect(usesAction(release.publish, 'download-artifact')).toBe(true);
  expect(listRuns(release.publish)).toEqual([
    'echo "$TESTED  release/package.tgz" | sha256sum --check --strict',
    'npm publish ./release/package.tgz --provenance --access public --ignore-scripts',
  ]);
  expect(release.publish?.steps.find(({ env }) => env)?.env).toEqual({
    TESTED: '${{ needs.test.outputs.sha256 }}',
  });
  expect(release.test?.outputs).toEqual({ sha256: '${{ steps.pack.outputs.sha256 }}' });
  expect(Object.values(release).filter((job) => job.if !== undefined)).toEqual([]);
});

test('a release is tested, scanned and audited before it is published, and scanned after it', () => {
  const [packed, ...tests] = listRuns(release.test).reverse();
  expect(tests.reverse()).toEqual(['npm ci', 'npm audit --omit=dev', 'npm test', 'npm run scan']);
  expect(packed).toMatch(
    /^npm run release -- --pack tested\necho "sha256=\$\(sha256sum < tested\/package\.tgz /,
  );
  expect(listNeeds(release.announce)).toEqual(['publish']);
  expect(listNeeds(release.scan)).toEqual(['publish']);
  expect(listRuns(release.scan)).toContain('npm run release -- --scan-published');
  expect(listRuns(release.scan).at(-1)).toBe('npm run release -- --compare-published release/package.tgz');
  expect(usesAction(release.scan, 'download-artifact')).toBe(true);
});

test('the audit covers what is shipped: the package itself, which brings no other packages', () => {
  expect(Object.keys(manifest).filter((key) => /dependencies$/i.test(key))).toEqual([
    'peerDependencies',
    'devDependencies',
  ]);
  expect(Object.keys(manifest.peerDependencies)).toEqual(['n8n-workflow']);
});

test('every night: all tests, the audit, coverage, the benchmark and mutation of all parts', () => {
  expect(Object.keys(nightly.on)).toEqual(['schedule', 'workflow_dispatch']);
  const { full, readings, coverage, bench, mutation } = nightly.jobs;
  expect(listRuns(readings)).toEqual(['npm ci', 'npx jest test/client']);
  expect(readings!.steps.at(-1)).toMatchObject({ env: { READINGS: 'pairs', RUNS_SHARE: '1' } });
  expect(listRuns(full)).toEqual([
    'npm ci',
    'npm audit --omit=dev',
    'sudo --preserve-env=PATH,RUNS_SHARE .ci/run',
    'npm run test:compat',
  ]);
  expect(full!.steps.find(({ run }) => run?.includes('.ci/run'))).toMatchObject({
    env: { RUNS_SHARE: '1' },
  });
  expect(listRuns(coverage)).toEqual(['npm ci', 'npm run test:coverage']);
  expect(listRuns(bench)).toEqual(['npm ci', 'npm run bench']);
  expect(listRuns(mutation)).toEqual(['npm ci', 'npm run mutate -- ${{ matrix.part }} --nightly']);
  expect(mutation?.strategy?.matrix.part).toEqual(Object.keys(parts));
});

test('a nightly run that fails or runs out of time opens an issue', () => {
  const { report, ...others } = nightly.jobs;
  expect(listNeeds(report).sort()).toEqual(Object.keys(others).sort());
  expect(report?.if).toContain('always()');
  expect(report?.if).toContain("contains(needs.*.result, 'failure')");
  expect(report?.if).toContain("contains(needs.*.result, 'cancelled')");
  expect(listRuns(report).join()).toContain('gh issue create');
});

const listShipped = () =>
  execFileSync('git', ['ls-files', 'nodes', 'credentials'], { encoding: 'utf8' })
    .split('\n')
    .filter((path) => path.endsWith('.ts'));

test('mutation covers each shipped file, and each pattern of a part finds files', () => {
  const patterns = Object.values(parts).flatMap(({ mutate }) => mutate);
  expect(micromatch.not(listShipped(), patterns)).toEqual([]);
  const find = (pattern: string) => micromatch(listShipped(), [pattern]);
  expect(patterns.filter((pattern) => find(pattern).length === 0)).toEqual([]);
});

test('the tests of each part of mutation exist', () => {
  const tests = readdirSync('test', { recursive: true, encoding: 'utf8' }).map((path) => `test/${path}`);
  const unread = Object.entries(parts).filter(([, part]) => micromatch(tests, [part.tests]).length === 0);
  expect(unread).toEqual([]);
});

test('coverage counts each shipped file', () => {
  const { collectCoverageFrom } = jest.requireActual<{ collectCoverageFrom: string[] }>('../../jest.config');
  expect(listShipped().length).toBeGreaterThan(100);
  expect(micromatch.not(listShipped(), collectCoverageFrom)).toEqual([]);
});

test('Dependabot watches each lock file and the actions', () => {
  const { updates } = parse(readFileSync('.github/dependabot.yml', 'utf8')) as {
    updates: Array<{ 'package-ecosystem': string; directory?: string; directories?: string[] }>;
  };
  const list = (ecosystem: string) =>
    updates
      .filter((one) => one['package-ecosystem'] === ecosystem)
      .flatMap(({ directory, directories = [] }) => directory ?? directories)
      .sort();
  const locks = execFileSync('git', ['ls-files', 'package-lock.json', '*/package-lock.json'], {
    encoding: 'utf8',
  })
    .trim()
    .split('\n')
    .map((path) => posix.join('/', posix.dirname(path)));
  expect(list('npm')).toEqual(locks.sort());
  expect(list('github-actions')).toEqual(['/']);
});
