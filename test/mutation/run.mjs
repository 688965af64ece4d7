/**
 * Changes the sources in thousands of small ways and counts which of them no unit test notices:
 * `npm run mutate`, or `npm run mutate -- transport` for one part. The report names each; docs/mutation.md
 * keeps the numbers.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import parts from './parts.js';

const folder = dirname(fileURLToPath(import.meta.url));
const page = join(folder, '..', '..', 'docs', 'mutation.md');
const wanted = process.argv.slice(2);
const unknown = wanted.filter((part) => !(part in parts));
if (unknown.length > 0) throw new Error(`there is no part "${unknown[0]}": ${Object.keys(parts).join(', ')}`);

if (!existsSync(join(folder, 'node_modules'))) {
  const install = ['ci', '--no-audit', '--no-fund', '--loglevel', 'error'];
  execFileSync('npm', install, { cwd: folder, stdio: 'inherit' });
}
const { Stryker } = await import('@stryker-mutator/core');

async function mutate(part) {
  const { share, mutate } = parts[part];
  // Read by jest.config.js and by the random tests, in the processes that run them. One seed for all: what
  // notices a change must be the change, not the draw.
  Object.assign(process.env, { PART: part, RUNS_SHARE: String(share), SEED: '7' });
  return new Stryker({
    packageManager: 'npm',
    testRunner: 'jest',
    jest: { projectType: 'custom', configFile: 'test/mutation/jest.config.js' },
    coverageAnalysis: 'perTest',
    // A constant is read once, when its file is loaded: each would need every test.
    ignoreStatic: true,
    concurrency: cpus().length,
    timeoutMS: 10_000,
    // What neither the code nor a test has touched since the last run is not tried again.
    incremental: true,
    incrementalFile: `.cache/mutation-${part}.json`,
    tempDirName: `.cache/mutation-${part}`,
    ignorePatterns: [
      'dist',
      'docs',
      'examples',
      'bench',
      'reports',
      '.cache',
      'test/e2e',
      'test/mutation/node_modules',
    ],
    mutate,
    reporters: ['progress-append-only', 'clear-text', 'html'],
    clearTextReporter: { logTests: false, reportTests: false },
    htmlReporter: { fileName: `reports/mutation-${part}.html` },
  }).runMutationTest();
}

function rowOf(part, mutants) {
  const count = (...statuses) => mutants.filter(({ status }) => statuses.includes(status)).length;
  const noticed = count('Killed', 'Timeout');
  const missed = count('Survived', 'NoCoverage');
  const score = ((100 * noticed) / (noticed + missed)).toFixed(1);
  return `| ${part} | ${noticed + missed} | ${noticed} | ${missed} | ${score} % | ${count('Ignored')} |`;
}

for (const part of wanted.length > 0 ? wanted : Object.keys(parts)) {
  const row = rowOf(part, await mutate(part));
  console.log(row);
  const before = readFileSync(page, 'utf8');
  writeFileSync(page, before.replace(new RegExp(`^\\| ${part} +\\|.*$`, 'm'), row));
}
execFileSync('npx', ['prettier', '--write', page], { stdio: 'ignore' });
