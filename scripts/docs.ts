/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, no-console -- not shipped: runs on Node */
/**
 * `npm run docs`: runs each operation against the embedded service and records what it calls; then writes
 * docs/operations.md, docs/development/architecture.md, docs/development/silences.md and the schemas of outputs.
 * `test/unit/conventions/generatedFiles.test.ts` fails while they are not current, and the contract of every operation while the
 * recorded calls are not.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { CALLS_FILE, formatCalls } from '../test/calledEndpoints';
import { listCalls, runContractCases } from '../test/engine/support/contractRuns';
import { TestEnvironment } from '../test/engine/support/testEnvironment';
import { createFiles, listSchemas } from '../test/generatedFiles';

async function recordCalls(): Promise<void> {
  const env = await TestEnvironment.start();
  try {
    writeFileSync(CALLS_FILE, formatCalls(listCalls(await runContractCases(env))));
  } finally {
    await env.stop();
  }
}

function writeFiles(): void {
  for (const file of listSchemas()) rmSync(file);
  for (const [file, text] of createFiles()) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

async function main(): Promise<void> {
  await recordCalls();
  writeFiles();
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
