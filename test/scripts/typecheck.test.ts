/* eslint-disable @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
/** Program and arguments of `npm run typecheck`. */
const [program, ...args] = scripts.typecheck.split(' ') as [string, ...string[]];

let project: string;

/** An empty project with the configuration of this one. */
beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), 'record-database-types-'));
  mkdirSync(join(project, 'nodes'));
  writeFileSync(join(project, 'nodes', 'type.ts'), 'export type One = 1;');
  writeFileSync(join(project, '.oxlintrc.json'), readFileSync(join(ROOT, '.oxlintrc.json')));
  const tsconfig = JSON.parse(readFileSync(join(ROOT, 'tsconfig.json'), 'utf8'));
  tsconfig.compilerOptions.types = [];
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(tsconfig));
});

afterAll(() => rmSync(project, { recursive: true }));

const LATER = 'const later = async (): Promise<number> => 1;\n';

const PROBLEMS: Array<[problem: string, code: string, source: string]> = [
  ['a wrong type', 'TS2322', 'export const one: string = 1;'],
  ['an index without a check', 'TS2532', 'export const f = (list: number[]) => list[0].toFixed();'],
  ['a path without a return', 'TS7030', 'export function f(a: number) { if (a) return 1; }'],
  ['a case that falls through', 'TS7029', 'export let a = 1; switch (a) { case 1: a++; case 2: a--; }'],
  ['a type that is exported again as a value', 'TS1205', "export { One } from './type';"],
  [
    'an optional chain whose result is used in any case',
    'no-unsafe-optional-chaining',
    'export const f = (a?: { b: string[] }) => { const [first] = a?.b as string[]; return first; };',
  ],
  ['an unused variable', 'TS6133', 'export function f() { const a = 1; }'],
  ['a promise that is not awaited', 'no-floating-promises', `${LATER}export function f() { later(); }`],
  [
    'a promise as a condition',
    'no-misused-promises',
    `${LATER}export const f = (): number | undefined => (later() ? 1 : undefined);`,
  ],
  ['an await without a promise', 'await-thenable', 'export async function f() { await 1; }'],
];

/** @returns the exit code, and the codes of the problems in each of the files with these contents */
function checkTypes(sources: string[]) {
  const folder = join(project, 'nodes');
  sources.forEach((source, index) => writeFileSync(join(folder, `file${index}.ts`), source));
  const { status, stdout } = spawnSync(
    join(ROOT, 'node_modules', '.bin', program),
    [...args, '--format', 'unix'],
    { cwd: project, encoding: 'utf8' },
  );
  sources.forEach((_, index) => rmSync(join(folder, `file${index}.ts`)));
  const lines = stdout.split('\n');
  const codes = sources.map((_, index) =>
    lines
      .filter((line) => line.includes(`file${index}.ts:`))
      .map((line) => /\w\(([\w-]+)\)\]/.exec(line)?.[1]),
  );
  return { status, codes };
}

test('a correct file passes', () => {
  expect(checkTypes(['export const one: number = 1;'])).toEqual({ status: 0, codes: [[]] });
});

test('each problem is reported, and makes the check fail', () => {
  const { status, codes } = checkTypes(PROBLEMS.map(([, , source]) => source));
  expect(status).toBe(1);
  expect(PROBLEMS.map(([problem], index) => [problem, codes[index]])).toEqual(
    PROBLEMS.map(([problem, code]) => [problem, expect.arrayContaining([code])]),
  );
});
