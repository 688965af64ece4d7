/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { readdirSync, readFileSync } from 'node:fs';

/**
 * The largest number of code lines of each floor. "How we write" in CONTRIBUTING.md says when a number changes.
 */
const MOST_LINES = {
  credentials: 183,
  'nodes/RecordDatabase*': 4899,
  'nodes/n8n': 3669,
  'nodes/records': 6168,
  'nodes/service': 3292,
};

type Floor = keyof typeof MOST_LINES;

/** Lines that a floor may lose before its number is lowered. */
const TOLERANCE = 150;

const findFloor = (file: string): Floor => {
  const [floor] = /^(credentials|nodes\/(?:n8n|records|service)(?=\/))/.exec(file) ?? [];
  return (floor as Floor | undefined) ?? 'nodes/RecordDatabase*';
};

/** A string, so that what looks like a comment in one stays; or a comment. */
const STRING_OR_COMMENT =
  /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g;

/** Counts the lines of a file without comments, imports, names that are passed on, and blank lines. */
const countCode = (text: string): number =>
  text
    .replace(STRING_OR_COMMENT, (token) => (/^\/[*/]/.test(token) ? '' : token))
    .replace(/^import\b[^;]*;$/gm, '')
    .replace(/^export\s+(type\s+)?\{[^}]*\}\s+from\s+[^;]*;$/gm, '')
    .split('\n')
    .filter((line) => line.trim() !== '').length;

const files = ['credentials', 'nodes'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/\.(test|d)\.ts$/.test(name))
    .map((name) => `${folder}/${name}`),
);

test.each(Object.entries(MOST_LINES))('%s has at most %i lines of code, and hardly fewer', (floor, most) => {
  const lines = files
    .filter((file) => findFloor(file) === floor)
    .reduce((sum, file) => sum + countCode(readFileSync(file, 'utf8')), 0);
  expect(lines).toBeLessThanOrEqual(most);
  expect(lines).toBeGreaterThanOrEqual(most - TOLERANCE);
});

test('comments, imports and blank lines are no code, and a string is no comment', () => {
  const text = `import {\n  a,\n} from 'a';\nexport { b } from './b';\n\n/** A comment. */\nconst c = 'http://c'; // Why\n`;
  expect(countCode(text)).toBe(1);
});
