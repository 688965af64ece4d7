import { readFileSync } from 'node:fs';
import { withCurrentTable } from '../../readmeTable';
import { scripts } from '../../../package.json';

const readme = readFileSync('README.md', 'utf8');

test('the table of operations is the operations (mend with `npm run docs`)', () => {
  expect(withCurrentTable(readme)).toBe(readme);
});

test('every command that the README names exists', () => {
  const named = [...readme.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name!);
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
});

test.each(['', 'n8n-1.123/'])(
  'the page on compatibility names the n8n that is tried in test/e2e/%s',
  (folder) => {
    const { dependencies } = JSON.parse(readFileSync(`test/e2e/${folder}package.json`, 'utf8')) as {
      dependencies: { n8n: string };
    };
    expect(readFileSync('docs/compatibility.md', 'utf8')).toContain(`| ${dependencies.n8n} `);
  },
);
