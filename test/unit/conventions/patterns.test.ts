/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { readdirSync, readFileSync } from 'node:fs';
import * as ts from 'typescript';
import { countSteps, createTexts, parsePattern } from './countSteps';

/** No text of a user, a model or the service blocks n8n: the work of each pattern grows with the length of its text. */

const files = ['nodes', 'credentials'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name}`),
);

const patterns: Array<[file: string, source: string]> = [];
const created: string[] = [];
for (const file of files) {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) patterns.push([file, node.text]);
    const isCall = ts.isNewExpression(node) || ts.isCallExpression(node);
    if (isCall && node.expression.getText() === 'RegExp') created.push(file);
    ts.forEachChild(node, visit);
  };
  visit(source);
}

/** Twice the length is about twice the work, or four times with a square. Three nested loops make it eight times. */
const LINEAR = 2.7;
const SQUARE = 4.6;
const LENGTH = 16;

/** Fewer steps than this are no loop in a loop at this length. */
const FEW_STEPS = 6 * LENGTH;

/** Returns how much more work a text of twice the length takes, for the worst of many texts. */
function measureGrowth(source: string): { growth: number; text: string } {
  const pattern = parsePattern(source);
  const longer = [...createTexts(pattern, 2 * LENGTH)];
  let worst = { growth: 0, text: '' };
  [...createTexts(pattern, LENGTH)].forEach((text, index) => {
    const steps = countSteps(pattern, text);
    if (steps < FEW_STEPS) return;
    const growth = countSteps(pattern, longer[index] ?? '') / steps;
    if (growth > worst.growth) worst = { growth, text };
  });
  return worst;
}

test('the program finds what blocks n8n', () => {
  expect(measureGrowth('/^\\s*```\\w*\\s*([\\s\\S]*?)\\s*```\\s*$/').growth).toBeGreaterThan(SQUARE);
  expect(measureGrowth('/\\s*[,;\\s]\\s*(?=https?:\\/\\/|\\/)/i').growth).toBeGreaterThan(SQUARE);
  expect(measureGrowth('/^(a+)+$/').growth).toBeGreaterThan(SQUARE);
  for (const square of ['/^[+-]?(\\d+\\.?\\d*|\\.\\d+)(e[+-]?\\d+)?$/i', '/\\/+$/', '/\\s+$/']) {
    const { growth } = measureGrowth(square);
    expect(growth).toBeGreaterThan(LINEAR);
    expect(growth).toBeLessThan(SQUARE);
  }
  expect(measureGrowth('/^\\d+(\\.\\d*)?$/').growth).toBeLessThan(LINEAR);
});

test('twice the text is twice the work, for each pattern of shipped code', () => {
  expect(patterns.length).toBeGreaterThan(150);
  const slow = patterns.flatMap(([file, source]) => {
    const { growth, text } = measureGrowth(source);
    return growth > LINEAR ? [`${file}: ${source} grows ${growth.toFixed(1)} times with ${JSON.stringify(text)}`] : []; // prettier-ignore
  });
  expect(slow).toEqual([]);
});

test('patterns that are put together are these: of a secret, of terminal sequences', () => {
  expect(created.sort()).toEqual(['nodes/service/errors/redact.ts', 'nodes/service/input/messageText.ts']);
});
