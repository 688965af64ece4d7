/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadActionNodes } from '../../operations';
import { OUTPUTS } from '../../outputs';
import { formatOutputSchemas } from '../../outputSchemas';

const operations = loadActionNodes().flatMap(({ folder, resources }) =>
  resources.flatMap((resource) =>
    resource.operations.map(({ name, action }) => ({ name: `${folder} ${resource.name} ${name}`, action })),
  ),
);

test('the schemas of outputs are current (run `npm run docs`)', () => {
  const stored = readdirSync('nodes', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.includes('__schema__') && file.endsWith('.json'))
    .map((file) => [file, readFileSync(join('nodes', file), 'utf8')]);
  expect(Object.fromEntries(stored)).toEqual(Object.fromEntries(formatOutputSchemas()));
});

test('an operation that reads records or logs has a schema', () => {
  const names =
    /^(get|getAll|search|create|upsert) record|^Get (many )?(records|[\w ]*(logins|views|emails))/i;
  const missing = operations.filter(({ name, action }) => names.test(action) && !(name in OUTPUTS));
  expect(missing.map(({ name }) => name)).toEqual([]);
});

test('each schema belongs to an operation', () => {
  const known = new Set(operations.map(({ name }) => name));
  expect(Object.keys(OUTPUTS).filter((name) => !known.has(name))).toEqual([]);
});
