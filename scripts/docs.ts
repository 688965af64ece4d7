/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, no-console -- not shipped: runs on Node */
/**
 * `npm run docs`: runs each operation against the embedded service and records what it calls; then writes
 * docs/operations.md, docs/development/architecture.md, docs/development/silences.md and the schemas of outputs.
 * `npm run docs -- --check` names the files that are not current, and writes nothing. `npm test` runs it. The recorded calls
 * are compared by the contract of every operation, which runs them.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CALLS_FILE, formatCalls } from '../test/calledEndpoints';
import { formatMemoryPage, MEMORY_PAGE } from '../test/memoryPage';
import { formatOperationsPage, PAGE } from '../test/operationsPage';
import { formatOutputSchemas } from '../test/outputSchemas';
import { formatSilencesPage, SILENCES_PAGE } from '../test/silences';

async function recordCalls(): Promise<void> {
  // These load n8n's engine, which a check does not need.
  const { listCalls, runContractCases } = await import('../test/engine/support/contractRuns.js');
  const { TestEnvironment } = await import('../test/engine/support/testEnvironment.js');
  const env = await TestEnvironment.start();
  try {
    writeFileSync(CALLS_FILE, formatCalls(listCalls(await runContractCases(env))));
  } finally {
    await env.stop();
  }
}

/** The generated files with their texts. */
const createFiles = (): Map<string, string> =>
  new Map([
    [PAGE, formatOperationsPage()],
    [MEMORY_PAGE, formatMemoryPage()],
    [SILENCES_PAGE, formatSilencesPage()],
    ...[...formatOutputSchemas()].map(([file, text]): [string, string] => [join('nodes', file), text]),
  ]);

/** The stored schemas of outputs, some of which may no longer be generated. */
const listSchemas = (): string[] =>
  readdirSync('nodes', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.includes('__schema__') && file.endsWith('.json'))
    .map((file) => join('nodes', file));

function writeFiles(): void {
  for (const file of listSchemas()) rmSync(file);
  for (const [file, text] of createFiles()) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

function checkFiles(): void {
  const files = createFiles();
  const outdated = [...new Set([...files.keys(), ...listSchemas()])].filter(
    (file) => !existsSync(file) || readFileSync(file, 'utf8') !== files.get(file),
  );
  if (outdated.length > 0)
    throw new Error(`Not current: ${outdated.join(', ')}. Run "npm run docs" and commit what it writes.`);
}

async function main(): Promise<void> {
  if (process.argv.includes('--check')) checkFiles();
  else {
    await recordCalls();
    writeFiles();
  }
}

main().catch((error: unknown) => {
  console.error(process.argv.includes('--check') ? (error as Error).message : error);
  process.exitCode = 1;
});
