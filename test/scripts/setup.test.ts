import { ScriptFolder } from './scriptFolder';

type Packages = Record<string, { version?: string; optional?: boolean }>;

const folder = new ScriptFolder();
folder.addCommand('npm', 'echo "$1" >> calls');

afterAll(() => folder.remove());

/** Runs `setup.mjs --no-build` on a project with these packages, and returns the calls of npm. */
function setUp(required: Packages, installed?: Packages): string[] {
  folder.remove('node_modules');
  folder.write('package-lock.json', JSON.stringify({ packages: required }));
  if (installed) folder.write('node_modules/.package-lock.json', JSON.stringify({ packages: installed }));
  const { status, calls } = folder.run('setup.mjs', ['--no-build']);
  expect(status).toBe(0);
  return calls;
}

const project = { version: '0.0.0' };
const luxon = (version: string): Packages => ({ 'node_modules/luxon': { version } });

test.each<[name: string, required: Packages, installed: Packages | undefined, calls: string[]]>([
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

test('each step says when it begins, and when it has ended', () => {
  folder.remove('node_modules');
  folder.write('package-lock.json', JSON.stringify({ packages: { '': project, ...luxon('3.0.0') } }));
  const { output } = folder.run('setup.mjs', ['--no-build']);
  expect(output).toMatch(/^… Installing .*\n✓ Installing .* \(\d+ s\)\n$/);
});

test('a step that fails says so, and ends with the status of its command', () => {
  const { output, status } = folder.run('step.mjs', ['Packing', 'node', '-e', 'process.exit(3)']);
  expect([output, status]).toEqual([expect.stringMatching(/^… Packing\n✗ Packing \(\d+ s\)\n$/), 3]);
});
