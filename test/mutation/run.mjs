/**
 * Changes the code in thousands of small ways and counts the changes that no test notices. The report lists
 * them; docs/development/measurements.md keeps the numbers.
 *
 *   npm run mutate                  all parts
 *   npm run mutate -- client        one part
 *   npm run mutate -- client --sample 200 --seed 1
 *                                   200 changes of a part, drawn by a seed; prints the numbers only
 *   npm run mutate -- client --guards  only what may remove a guard: conditions, bounds, operators and statements
 *   npm run mutate -- adapter --every 8  every eighth file of a part; prints the numbers only
 *   npm run mutate -- adapter --files 'nodes/n8n/jobs/*.ts' --tests 'test/engine/resources/runs.test.ts'
 *                                   some files of a part against some tests; prints the numbers only
 *   npm run mutate -- adapter --nightly
 *                                   one part, of a part with a build another fifth of its files each day; prints the
 *                                   numbers only, and fails when too few changes are noticed
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import micromatch from 'micromatch';
import parts from './parts.js';

const folder = dirname(fileURLToPath(import.meta.url));
const page = join(folder, '..', '..', 'docs', 'development', 'measurements.md');
const { positionals, values: only } = parseArgs({
  allowPositionals: true,
  options: {
    files: { type: 'string' },
    tests: { type: 'string' },
    every: { type: 'string' },
    sample: { type: 'string' },
    seed: { type: 'string' },
    guards: { type: 'boolean' },
    nightly: { type: 'boolean' },
  },
});
const isNarrowed = Object.keys(only).length > 0;
if (isNarrowed && positionals.length !== 1)
  throw new Error(
    '--every, --files, --tests, --sample, --seed, --guards and --nightly need the name of one part',
  );
const wanted = positionals.length > 0 ? positionals : Object.keys(parts);
const unknown = wanted.filter((part) => !Object.hasOwn(parts, part));
if (unknown.length > 0) throw new Error(`there is no part "${unknown[0]}": ${Object.keys(parts).join(', ')}`);

if (!existsSync(join(folder, 'node_modules'))) {
  const install = ['ci', '--no-audit', '--no-fund', '--loglevel', 'error'];
  execFileSync('npm', install, { cwd: folder, stdio: 'inherit' });
}
const { Stryker } = await import('@stryker-mutator/core');

/** Kinds of changes that leave each condition, bound and statement as it is. */
const NO_GUARDS = [
  'ArrayDeclaration',
  'ArrowFunction',
  'MethodExpression',
  'ObjectLiteral',
  'OptionalChaining',
  'Regex',
  'StringLiteral',
];

/** Two runs with the same number, seed and code try the same changes. */
const seed = only.seed ?? '1';

/** Returns every n-th of the files that the patterns match, in the order of their names, from a first one on. */
function sampleFiles(patterns, every, first = 0) {
  const files = ['nodes', 'credentials'].flatMap((root) =>
    readdirSync(root, { recursive: true }).map((path) => `${root}/${path}`),
  );
  return micromatch(files.sort(), patterns).filter((_, index) => index % every === first);
}

/** A night has time for a fifth of a part that is built; five nights in a row try all files. */
const NIGHTS = 5;
const DAY = 86_400_000;

function drawFiles(patterns, isBuilt) {
  const files =
    only.nightly && isBuilt
      ? sampleFiles(patterns, NIGHTS, Math.floor(Date.now() / DAY) % NIGHTS)
      : sampleFiles(patterns, Number(only.every ?? 1));
  console.log(`${files.length} files:\n${files.join('\n')}`);
  return files;
}

async function mutate(part) {
  const { share, mutate, tests, least, build = false } = parts[part];
  const patterns = only.files ? [only.files] : mutate;
  // Read by testRunner.mjs, testFiles.mjs and the random tests. All changes get the same seed: otherwise a change could
  // be noticed or missed by chance.
  Object.assign(process.env, {
    TESTS: only.tests ?? tests,
    RUNS_SHARE: String(share),
    SEED: '7',
    // Tests of the client that run under each reading run under two pairs of readings.
    READINGS: 'pairs',
    SAMPLE: only.sample ?? '',
    SAMPLE_SEED: seed,
    // A test that a loaded machine ends counts as one that notices the change.
    TEST_TIMEOUT: '30000',
  });
  const name = isNarrowed ? `${part}-narrowed` : part;
  return new Stryker({
    packageManager: 'npm',
    testRunner: 'testFiles',
    plugins: [join(folder, 'testRunner.mjs')],
    // Stryker builds its copy, which holds all changes and a switch for each.
    ...(build && { buildCommand: 'node scripts/build.mjs' }),
    coverageAnalysis: 'perTest',
    ...(only.guards && { mutator: { excludedMutations: NO_GUARDS } }),
    // A change of a constant, which is read when its file is loaded, would need every test.
    ignoreStatic: true,
    concurrency: cpus().length,
    timeoutMS: 30_000,
    dryRunTimeoutMinutes: 20,
    // A change is tried again only when its code or a test has changed since the last run.
    incremental: only.sample === undefined,
    incrementalFile: `.cache/mutation-${name}.json`,
    tempDirName: `.cache/mutation-${name}`,
    ignorePatterns: ['dist', 'docs', 'bench', 'reports', '.cache', 'test/e2e', 'test/mutation/node_modules'],
    mutate: drawFiles(patterns, build),
    ...(only.sample !== undefined && { checkers: ['sample'] }),
    ...(only.nightly && { thresholds: { high: 100, low: least, break: least } }),
    reporters: ['progress-append-only', 'clear-text', 'html'],
    clearTextReporter: { logTests: false, reportTests: false },
    htmlReporter: { fileName: `reports/mutation-${name}.html` },
  }).runMutationTest();
}

function formatRow(part, mutants) {
  const count = (...statuses) => mutants.filter(({ status }) => statuses.includes(status)).length;
  const noticed = count('Killed', 'Timeout');
  const missed = count('Survived', 'NoCoverage');
  const score = ((100 * noticed) / (noticed + missed)).toFixed(1);
  // A change that the sample leaves out has the status of one that does not compile.
  const notTried = count('Ignored', 'CompileError');
  return `| ${part} | ${noticed + missed} | ${noticed} | ${missed} | ${score} % | ${notTried} |`;
}

for (const part of wanted) {
  const row = formatRow(part, await mutate(part));
  if (only.sample !== undefined)
    console.log(`A sample of ${only.sample} changes, drawn with the seed ${seed}:`);
  console.log(row);
  if (isNarrowed) continue;
  const before = readFileSync(page, 'utf8');
  writeFileSync(page, before.replace(new RegExp(`^\\| ${part} +\\|.*$`, 'm'), row));
}
execFileSync('npx', ['--no-install', 'oxfmt', page]);
