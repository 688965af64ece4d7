/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { existsSync, readFileSync } from 'node:fs';
import { createFiles, listSchemas } from '../../generatedFiles';

test('the generated pages and schemas are current: npm run docs writes them', () => {
  const files = createFiles();
  expect(files.size).toBeGreaterThan(30);
  const outdated = [...new Set([...files.keys(), ...listSchemas()])].filter(
    (file) => !existsSync(file) || readFileSync(file, 'utf8') !== files.get(file),
  );
  expect(outdated).toEqual([]);
});
