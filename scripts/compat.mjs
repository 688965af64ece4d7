/**
 * `npm run test:compat`: runs the engine tests on the releases of n8n's engine below, and writes the result into the table
 * of docs/compatibility.md. `npm run test:compat -- 2.0` runs only the releases that start so. Arguments after `--` go to Jest.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** A release of n8n and the version of `n8n-core` that it contains. */
const RELEASES = [
  ['1.123', '1.122.48'],
  ['2.0', '2.0.2'],
  ['2.20', '2.20.6'],
  ['2.41', '2.41.1'],
];
const TYPED_DATE = 'n8n refuses a typed text that is no date; in automatic mode the error names the column';
const COMBINED = [
  "binary mode combined: a file is given as ={{ $('File').item._files.data }}",
  'binary mode combined: a file is given as ={{ $json._files.data }}',
];
/** Tests that fail on a release because of n8n itself. `docs/compatibility.md` says what users see of it. */
const KNOWN_FAILURES = {
  // n8n before 2.41 finds such a text before the node runs, and says so in other words. The combined mode is newer than 2.0.
  1.123: [TYPED_DATE, ...COMBINED],
  // axios 1.12.0 leaves the connection open after a timeout.
  '2.0': [TYPED_DATE, ...COMBINED, '"Request Timeout" ends a download that has no answer'],
  '2.20': [TYPED_DATE],
};
const PAGE = 'docs/compatibility.md';
const START = '<!-- compatibility table: start -->';
const END = '<!-- compatibility table: end -->';

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

/** Installs a release of the engine, once. Returns its folder. */
function install(core) {
  const folder = resolve('.cache', 'compat', core);
  const installed = join(folder, 'node_modules', 'n8n-core', 'package.json');
  if (existsSync(installed)) return folder;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  const options = [
    '--ignore-scripts',
    '--legacy-peer-deps',
    '--no-audit',
    '--no-fund',
    '--loglevel',
    'error',
  ];
  const { status } = spawnSync('npm', ['install', ...options, `n8n-core@${core}`], {
    cwd: folder,
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error(`n8n-core ${core} could not be installed`);
  return folder;
}

/** Copies the built package beside the release, where it finds the release's `n8n-workflow`. Returns its folder. */
function copyPackage(folder) {
  const target = join(folder, 'node_modules', 'n8n-nodes-record-database');
  rmSync(target, { recursive: true, force: true });
  for (const part of ['package.json', 'dist']) cpSync(part, join(target, part), { recursive: true });
  return target;
}

/** Runs the engine tests. Returns a row of the table. */
function runTests([n8n, core], jestArguments) {
  const folder = install(core);
  const report = join(folder, 'report.json');
  const command = ['jest', ...jestArguments, '--silent', '--json', `--outputFile=${report}`];
  // n8n 2.0 leaves a timer that keeps the process alive.
  spawnSync('npx', ['--no-install', ...command, '--forceExit', '--selectProjects', 'compat'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, N8N_ENGINE: folder, N8N_PACKAGE: copyPackage(folder) },
  });
  const { numPassedTests: passed, numFailedTests: failed, testResults } = readJson(report);
  for (const { name, status, message } of testResults) {
    if (status === 'failed') console.log(`${n8n}: ${name}\n${message}`);
  }
  const workflow = readJson(join(folder, 'node_modules', 'n8n-workflow', 'package.json')).version;
  const isKnown = ({ fullName }) => KNOWN_FAILURES[n8n]?.includes(fullName);
  const unexpected = testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' &&
      // A file that could not be loaded has no results.
      (assertionResults.length === 0 ||
        assertionResults.some((result) => result.status === 'failed' && !isKnown(result))),
  );
  console.log(
    `n8n ${n8n}: ${passed} tests passed, ${failed} failed, ${unexpected.length} files unexpectedly`,
  );
  return { n8n, core, workflow, passed, failed, hasPassed: unexpected.length === 0 };
}

function writeTable(rows) {
  const lines = rows.map(
    ({ n8n, core, workflow, passed, failed }) => `| ${n8n} | ${core} | ${workflow} | ${passed} | ${failed} |`,
  );
  const table = ['| n8n | n8n-core | n8n-workflow | passed | failed |', '|-|-|-|-|-|', ...lines].join('\n');
  const page = readFileSync(PAGE, 'utf8');
  const [before, rest] = page.split(START);
  const [, after] = rest.split(END);
  const text = `${before}${START}\n\n${table}\n\n${END}${after}`;
  writeFileSync(PAGE, text);
  execFileSync('npx', ['--no-install', 'oxfmt', PAGE]);
}

const [only = '', ...jestArguments] = process.argv.slice(2);
const chosen = RELEASES.filter(([n8n]) => n8n.startsWith(only));
const setup = spawnSync('node', ['scripts/setup.mjs'], { stdio: 'inherit' });
if (setup.status !== 0) process.exit(1);
const rows = chosen.map((release) => runTests(release, jestArguments));
if (only === '') writeTable(rows);
process.exit(rows.every(({ hasPassed }) => hasPassed) ? 0 : 1);
