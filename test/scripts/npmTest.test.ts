/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { ScriptFolder } from './scriptFolder';

/** Stands in for a command: records the call, and fails when it ends as the variable `FAILING` says. */
const COMMAND =
  'echo "$*${READING_REPORT:+ for $READING_REPORT}" >> calls\ncase "$*" in *"$FAILING") exit 1;; esac';

const STEPS = [
  'jest --silent --selectProjects unit client client-met engine engine-met',
  'run --silent typecheck',
  'run --silent lint',
  'run --silent format:check',
  'run --silent lint:workflows',
];

const folder = new ScriptFolder();
folder.addCommand('npm', COMMAND);
folder.addCommand('npx', COMMAND);
folder.write('scripts/setup.mjs', '');

afterAll(() => folder.remove());

test('runs Jest and all static checks', () => {
  const { status, calls } = folder.run('test.mjs', ['test/unit'], { FAILING: 'nothing' });
  expect(status).toBe(0);
  expect(calls.sort()).toEqual(
    [
      '--no-install jest --silent test/unit --selectProjects unit client client-met engine engine-met',
      ...STEPS.slice(1),
    ].sort(),
  );
});

test('runs only the slow suites with --slow', () => {
  const { status, calls } = folder.run('test.mjs', ['--slow', 'test/slow/sync'], { FAILING: 'nothing' });
  expect(status).toBe(0);
  expect(calls).toEqual([
    '--no-install jest test/slow/sync --testTimeout=3600000 --selectProjects slow engine-long engine-met-long',
  ]);
});

describe('--reading', () => {
  const run = (...args: string[]) =>
    folder.run('test.mjs', ['--reading', ...args], { FAILING: 'nothing', READING_REPORT: '' });

  test('runs only the tests of the client, for the service of the report', () => {
    folder.write('report.json', '{ "silences": [], "settings": {} }');
    const { status, calls } = run('report.json', 'test/client/calls');
    expect(status).toBe(0);
    const report = join(realpathSync(folder.path), 'report.json');
    expect(calls).toEqual([`--no-install jest test/client/calls --selectProjects client for ${report}`]);
  });

  test.each([
    ['no file', [], 'none is not'],
    ['a file that is not JSON', ['text.json'], 'text.json is not: Unexpected token'],
    ['another JSON file', ['other.json'], 'other.json is not: it lacks "silences" or "settings"'],
  ])('%s is an error, and nothing is run', (_, args, message) => {
    folder.write('text.json', 'a report');
    folder.write('other.json', '{ "silences": {}, "settings": null }');
    const { status, calls, output } = run(...args);
    expect({ status, calls }).toEqual({ status: 1, calls: [] });
    expect(output).toContain(message);
  });
});

// The checks between them are run in the same loop.
test.each([STEPS[0]!, STEPS.at(-1)!])('fails when "%s" fails', (step) => {
  expect(folder.run('test.mjs', [], { FAILING: step }).status).toBe(1);
});

test('runs nothing when the set-up fails', () => {
  folder.write('scripts/setup.mjs', 'process.exit(1);');
  expect(folder.run('test.mjs', [], { FAILING: 'nothing' })).toMatchObject({ status: 1, calls: [] });
});
