/**
 * `npm test`: builds, then runs Jest and the static checks side by side and prints each check when it ends.
 * Arguments go to Jest: `npm test -- test/unit/client`.
 * `npm test -- --reading FILE` runs only the tests of the client, against a service that behaves as the one of a report
 * (`npm run first-contact -- --json FILE`).
 * `npm run test:slow`, with `--slow`, runs only the suites at numbers that take minutes, with all random iterations.
 */
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve as resolvePath } from 'node:path';

const CHECKS = [
  ['types', 'npm run --silent typecheck'],
  ['lint', 'npm run --silent lint'],
  ['format', 'npm run --silent format:check'],
  ['workflow files', 'npm run --silent lint:workflows'],
];

/** Resolves to whether the command succeeded. Its output appears as a whole, since several run at once. */
function runCheck([name, command]) {
  return new Promise((resolve) => {
    const started = performance.now();
    const child = spawn(command, { shell: true, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data));
    child.on('close', (code) => {
      const seconds = ((performance.now() - started) / 1000).toFixed(0);
      console.log(`${code === 0 ? '✓' : '✗'} ${name} (${seconds} s)${code === 0 ? '' : `\n${output}`}`);
      resolve(code === 0);
    });
  });
}

/** Megabytes of new objects between two collections: with Node's 16, a run needs 5 % more CPU time. */
const NEW_SPACE = '--max-semi-space-size=48';

const runJest = (args, env = process.env) =>
  new Promise((resolve) => {
    const NODE_OPTIONS = `${env.NODE_OPTIONS ?? ''} ${NEW_SPACE}`.trim();
    const child = spawn('npx', ['--no-install', 'jest', ...args], {
      stdio: 'inherit',
      env: { ...env, NODE_OPTIONS },
    });
    child.on('close', (code) => resolve(code === 0));
  });

/** Returns the file of `--reading`. Ends with a message if it is no report; `test/client/readings.ts` reads its values. */
function checkReport([file]) {
  try {
    const { silences, settings } = JSON.parse(readFileSync(file, 'utf8'));
    if (!Array.isArray(silences) || typeof settings !== 'object' || !settings)
      throw new Error('it lacks "silences" or "settings"');
    return resolvePath(file);
  } catch ({ message }) {
    console.error(
      `--reading needs a file that "npm run first-contact -- --json FILE" has written, and ${file ?? 'none'} is not: ${message}`,
    );
    process.exit(1);
  }
}

const setup = spawnSync('node', ['scripts/setup.mjs'], { stdio: 'inherit' });
if (setup.status !== 0) process.exit(setup.status ?? 1);

async function runChecks() {
  const results = [];
  for (const check of CHECKS) results.push(await runCheck(check));
  return results.every(Boolean);
}

const args = process.argv.slice(2);

const PROJECTS = ['unit', 'client', 'client-met', 'engine', 'engine-met'];

// `--selectProjects` comes last: it takes every name that follows.
const runAll = () =>
  Promise.all([runJest(['--silent', ...args, '--selectProjects', ...PROJECTS]), runChecks()]);

// Milliseconds; ends a test that hangs.
const SLOW = ['--testTimeout=3600000', '--selectProjects', 'slow', 'engine-long', 'engine-met-long'];
const runSlow = async () => [
  await runJest([...args.filter((arg) => arg !== '--slow'), ...SLOW], { RUNS_SHARE: '1', ...process.env }),
];

const runReading = async (at) => {
  const READING_REPORT = checkReport(args.slice(at + 1));
  const others = args.filter((_, n) => n !== at && n !== at + 1);
  return [await runJest([...others, '--selectProjects', 'client'], { ...process.env, READING_REPORT })];
};

const run = () => {
  const at = args.indexOf('--reading');
  if (at >= 0) return runReading(at);
  return args.includes('--slow') ? runSlow() : runAll();
};
const passed = await run();
process.exit(passed.every(Boolean) ? 0 : 1);
