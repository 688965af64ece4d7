import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkflowJson } from './harness';
import type { Service } from './service';

const FOLDER = join(__dirname, '..', 'examples');

/** Names of the example workflows, without the ending. */
export const exampleNames = (): string[] =>
  readdirSync(FOLDER)
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.replace(/\.json$/, ''))
    .sort();

/**
 * An example workflow as a user has it after import: tables picked from the list again, which is done here
 * by the name that the file shows for each. Ids of tasks, pages and the like are those of the sample data.
 */
export function loadExample(name: string, service: Service): WorkflowJson {
  const text = readFileSync(join(FOLDER, `${name}.json`), 'utf8');
  return JSON.parse(text, (key, value: unknown) => {
    const { __rl, cachedResultName } = (value ?? {}) as { __rl?: boolean; cachedResultName?: string };
    const isTable = __rl && key === 'dataTableId';
    const table = isTable && cachedResultName ? service.table(cachedResultName) : undefined;
    return table ? { ...(value as object), value: table.id } : value;
  }) as WorkflowJson;
}
