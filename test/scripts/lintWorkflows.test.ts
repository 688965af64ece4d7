import { ScriptFolder } from './scriptFolder';

const folder = new ScriptFolder();

afterAll(() => folder.remove());

const lint = (workflow: string) => {
  folder.write('.github/workflows/ci.yml', workflow);
  return folder.run('lintWorkflows.mjs', []);
};

const WORKFLOW = 'on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - run: npm test\n';

test('accepts a correct workflow', () => {
  expect(lint(WORKFLOW)).toMatchObject({ status: 0, output: '' });
});

test('names the file of a wrong one', () => {
  const { status, output } = lint(WORKFLOW.replace('runs-on', 'run-on'));
  expect(status).toBe(1);
  expect(output).toContain('.github/workflows/ci.yml');
});
