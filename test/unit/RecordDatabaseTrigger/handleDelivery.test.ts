/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const FOLDER = 'nodes/RecordDatabaseTrigger';

/** Files that only declare the parameters of the form. Nothing in them runs for a delivery. */
const DECLARATIONS = ['properties', 'options'].map((name) => `${FOLDER}/form/${name}.ts`);

/** The trigger's files that a file imports, for values or types, without declarations. */
const findOwnImports = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(/from '(\.[^']+)'/g)]
    .map(([, target]) => `${normalize(join(dirname(file), target!))}.ts`)
    .filter((target) => target.startsWith(FOLDER) && existsSync(target) && !DECLARATIONS.includes(target));

/** The files in post-order of a depth-first search, and the imports that close a cycle. */
function walk(file: string, way: string[] = [], left: string[] = [], back: string[] = []) {
  if (way.includes(file)) back.push([...way, file].join(' -> '));
  else if (!left.includes(file)) {
    for (const target of findOwnImports(file)) walk(target, [...way, file], left, back);
    left.push(file);
  }
  return { left, back };
}

test('a delivery passes through at most 12 files, and no file imports an earlier one', () => {
  const { left, back } = walk(`${FOLDER}/handleDelivery.ts`);
  expect(back).toEqual([]);
  expect(left.length).toBeGreaterThan(5);
  expect(left.length + 1).toBeLessThanOrEqual(12);
});

test('one place sends the response to the service', () => {
  const { left } = walk(`${FOLDER}/handleDelivery.ts`);
  const answering = left.filter((file) => readFileSync(file, 'utf8').includes('getResponseObject'));
  expect(answering).toEqual([`${FOLDER}/handleDelivery.ts`]);
  expect(readFileSync(answering[0]!, 'utf8').match(/getResponseObject/g)).toHaveLength(1);
});
