/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { formatMemoryPage, MEMORY_PAGE } from './memoryPage';
import { formatOperationsPage, PAGE } from './operationsPage';
import { formatOutputSchemas } from './outputSchemas';
import { formatSilencesPage, SILENCES_PAGE } from './silences';

/** The files that `npm run docs` writes, with their texts. */
export const createFiles = (): Map<string, string> =>
  new Map([
    [PAGE, formatOperationsPage()],
    [MEMORY_PAGE, formatMemoryPage()],
    [SILENCES_PAGE, formatSilencesPage()],
    ...[...formatOutputSchemas()].map(([file, text]): [string, string] => [join('nodes', file), text]),
  ]);

/** The stored schemas of outputs, some of which may no longer be generated. */
export const listSchemas = (): string[] =>
  readdirSync('nodes', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.includes('__schema__') && file.endsWith('.json'))
    .map((file) => join('nodes', file));
