/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkflowJson } from './harness';
import type { Service } from './service';
import { Service as DocumentedService } from './service/service';

const FOLDER = join(__dirname, '..', 'examples');

/** Names of the example workflows, without the ending. */
export const listExamples = (): string[] =>
  readdirSync(FOLDER)
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.replace(/\.json$/, ''))
    .sort();

/** The names of the tables by the IDs in the files, which are those of the sample data as documented. */
let tableNames: Map<unknown, string> | undefined;

/**
 * Reads an example workflow as it is after an import. Picks each table from the list again, by the name in the file or by
 * the name of its ID. Ids of tasks, pages and similar objects are those of the sample data.
 */
export function loadExample(name: string, service: Service): WorkflowJson {
  const text = readFileSync(join(FOLDER, `${name}.json`), 'utf8');
  tableNames ??= new Map(
    new DocumentedService({ profile: 'documented' }).tables.map((table) => [table.id, table.name]),
  );
  return JSON.parse(text, (key, value: unknown) => {
    const tableName = tableNames?.get(value);
    if (tableName !== undefined) return service.getTable(tableName).id;
    const { __rl, cachedResultName } = (value ?? {}) as { __rl?: boolean; cachedResultName?: string };
    const isTable = __rl && key === 'dataTableId';
    const table = isTable && cachedResultName ? service.getTable(cachedResultName) : undefined;
    return table ? { ...(value as object), value: table.id } : value;
  }) as WorkflowJson;
}
