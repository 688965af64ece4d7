import { ScriptFolder } from './scriptFolder';

/** Stands in for a command: records the call, and fails when it ends as the variable `FAILING` says. */
const COMMAND = 'echo "$*" >> calls\ncase "$*" in *"$FAILING") exit 1;; esac';

const STEPS = [
  'jest --silent --selectProjects unit client engine',
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
    ['--no-install jest --silent test/unit --selectProjects unit client engine', ...STEPS.slice(1)].sort(),
  );
});

test('runs only the slow suites with --slow', () => {
  const { status, calls } = folder.run('test.mjs', ['--slow', 'test/slow/sync'], { FAILING: 'nothing' });
  expect(status).toBe(0);
  expect(calls).toEqual(['--no-install jest test/slow/sync --testTimeout=3600000 --selectProjects slow']);
});

test.each(STEPS)('fails when "%s" fails', (step) => {
  expect(folder.run('test.mjs', [], { FAILING: step }).status).toBe(1);
});

test('runs nothing when the set-up fails', () => {
  folder.write('scripts/setup.mjs', 'process.exit(1);');
  expect(folder.run('test.mjs', [], { FAILING: 'nothing' })).toMatchObject({ status: 1, calls: [] });
});
