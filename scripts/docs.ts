/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, no-console -- not shipped: runs on Node */
/**
 * `npm run docs`: runs each operation against the embedded service and records what it calls; then writes
 * docs/operations.md, docs/silences.md and the schemas of outputs.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CALLS_FILE, formatCalls } from '../test/calledEndpoints';
import { listCalls, runContractCases } from '../test/engine/support/contractRuns';
import { TestEnvironment } from '../test/engine/support/testEnvironment';
import { formatMemoryPage, MEMORY_PAGE } from '../test/memoryPage';
import { formatOperationsPage, PAGE } from '../test/operationsPage';
import { formatOutputSchemas } from '../test/outputSchemas';
import { formatSilencesPage, SILENCES_PAGE } from '../test/silences';

async function recordCalls(): Promise<void> {
  const env = await TestEnvironment.start();
  try {
    writeFileSync(CALLS_FILE, formatCalls(listCalls(await runContractCases(env))));
  } finally {
    await env.stop();
  }
}

function writePages(): void {
  writeFileSync(PAGE, formatOperationsPage());
  writeFileSync(MEMORY_PAGE, formatMemoryPage());
  writeFileSync(SILENCES_PAGE, formatSilencesPage());
  for (const folder of readdirSync('nodes')) {
    rmSync(join('nodes', folder, '__schema__'), { recursive: true, force: true });
  }
  for (const [file, text] of formatOutputSchemas()) {
    mkdirSync(dirname(join('nodes', file)), { recursive: true });
    writeFileSync(join('nodes', file), text);
  }
}

void recordCalls()
  .then(writePages)
  .catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  });
