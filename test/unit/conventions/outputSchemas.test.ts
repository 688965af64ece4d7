/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listOperations } from '../../operations';
import { formatOutputSchemas } from '../../outputSchemas';

test('the schemas of outputs are current (run `npm run docs`)', () => {
  const stored = readdirSync('nodes', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.includes('__schema__') && file.endsWith('.json'))
    .map((file) => [file, readFileSync(join('nodes', file), 'utf8')]);
  expect(Object.fromEntries(stored)).toEqual(Object.fromEntries(formatOutputSchemas()));
});

test('an operation that reads records or logs has a schema', () => {
  const names =
    /^(get|getAll|search|create|upsert) record|^Get (many )?(records|[\w ]*(logins|views|emails))/i;
  const missing = listOperations().filter(({ action, output }) => names.test(action) && !output);
  expect(missing.map(({ action }) => action)).toEqual([]);
});
