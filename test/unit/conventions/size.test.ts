/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** The sizes of shipped files and functions (`CONTRIBUTING.md`, "How we write"). */

const MAXIMUM_FILE_LINES = 150;
const MAXIMUM_FUNCTION_LINES = 35;

const sources = ['nodes', 'credentials'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name)),
);

const countLines = (text: string): number => text.trimEnd().split('\n').length;

const isNamedFunction = (node: ts.Node): node is ts.FunctionDeclaration | ts.MethodDeclaration =>
  ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node);

/** Lists the functions and methods of a file with their numbers of lines. */
function listFunctions(file: string): Array<[name: string, lines: number]> {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const found: Array<[string, number]> = [];
  const visit = (node: ts.Node): void => {
    const isArrow =
      ts.isVariableDeclaration(node) && node.initializer && ts.isArrowFunction(node.initializer);
    if (isArrow || isNamedFunction(node)) {
      found.push([`${file} ${node.name?.getText() ?? ''}`, countLines(node.getText())]);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

test(`no shipped file has more than ${MAXIMUM_FILE_LINES} lines`, () => {
  const counts = sources.map((file) => [file, countLines(readFileSync(file, 'utf8'))] as const);
  expect(counts.filter(([, lines]) => lines > MAXIMUM_FILE_LINES)).toEqual([]);
});

test(`no shipped function has more than ${MAXIMUM_FUNCTION_LINES} lines`, () => {
  const functions = sources.flatMap(listFunctions);
  expect(functions.length).toBeGreaterThan(1_000);
  expect(functions.filter(([, lines]) => lines > MAXIMUM_FUNCTION_LINES)).toEqual([]);
});
