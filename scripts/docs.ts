/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
/** `npm run docs`: generates docs/operations.md and the schemas of outputs from the declared operations. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { formatOperationsPage, PAGE } from '../test/operationsPage';
import { formatOutputSchemas } from '../test/outputSchemas';
import { formatSilencesPage, SILENCES_PAGE } from '../test/silences';

writeFileSync(PAGE, formatOperationsPage());
writeFileSync(SILENCES_PAGE, formatSilencesPage());

for (const folder of readdirSync('nodes')) {
  rmSync(join('nodes', folder, '__schema__'), { recursive: true, force: true });
}
for (const [file, text] of formatOutputSchemas()) {
  mkdirSync(dirname(join('nodes', file)), { recursive: true });
  writeFileSync(join('nodes', file), text);
}
