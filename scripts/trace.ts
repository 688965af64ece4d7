/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, no-console -- not shipped: runs on Node */
/**
 * `npm run trace`: shows how much code a reader of one path has to open. Runs seven paths on n8n's own engine with the
 * built package against the embedded service, each once to warm up and once with V8's coverage. Prints the shipped files
 * in which a function ran, these functions, and their lines. `npm run trace -- --files` lists the files as well.
 *
 * Code that runs when a module is loaded does not count: it runs once in a process, not once in a call.
 */
import { readFileSync } from 'node:fs';
import { type Profiler, Session } from 'node:inspector/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRecordWorkflow } from '../test/engine/polling/support';
import { AUTO_MAP, getOutput, TestEnvironment } from '../test/engine/support/testEnvironment';
import { createTriggerWorkflow } from '../test/engine/trigger/support';

interface Trace {
  files: Map<string, number>;
  functions: number;
  lines: number;
}

const isShipped = ({ url }: { url: string }) => /\/dist\/(nodes|credentials)\//.test(url);

const countLines = (text: string): number => text.split('\n').length;

/** Counts the functions that ran, the lines of the outermost ones, and the functions of each file. */
function summarize(scripts: Profiler.ScriptCoverage[]): Trace {
  const trace: Trace = { files: new Map(), functions: 0, lines: 0 };
  for (const { url, functions } of scripts.filter(isShipped)) {
    const path = fileURLToPath(url);
    const source = readFileSync(path, 'utf8');
    // The function without a name at offset 0 is the module.
    const ran = functions
      .map(({ ranges }) => ranges[0]!)
      .filter(
        ({ startOffset, endOffset, count }) => count > 0 && endOffset - startOffset < source.length - 1,
      );
    if (ran.length === 0) continue;
    trace.files.set(relative('dist', path), ran.length);
    trace.functions += ran.length;
    const outermost = ran.filter(
      (one) =>
        !ran.some(
          (other) =>
            other !== one && other.startOffset <= one.startOffset && other.endOffset >= one.endOffset,
        ),
    );
    for (const { startOffset, endOffset } of outermost) {
      trace.lines += countLines(source.slice(startOffset, endOffset));
    }
  }
  return trace;
}

type Path = [name: string, run: () => Promise<unknown>];

const CONDITION = { field: 'company|text', operator: 'contains', value: 'a' };

/** Creates the paths. Each ends in an error of its run, and works on values of its own each time. */
async function createPaths(env: TestEnvironment): Promise<Path[]> {
  const [customers, orders] = [env.getTable('Customers'), env.getTable('Orders')];
  const { id } = customers.insert({ company: 'Traced', email: 'traced@example.com' });
  let count = 0;
  const createValues = () => ({ company: `Traced ${++count}`, email: `traced${count}@example.com` });
  const mapByEmail = { ...AUTO_MAP, matchingColumns: ['email'] };
  const run = async (operation: string, parameters: object) =>
    getOutput(await env.runRecordOperation(operation, customers, parameters, [createValues()]));
  const trigger = await env.engine.activate(createTriggerWorkflow(env, ['Orders'], ['INSERT']));
  const poller = await env.engine.activate(createRecordWorkflow(orders, { triggerOn: 'recordCreated' }));
  await poller.waitUntilIdle();
  return [
    [
      'Get Many with a filter',
      () => run('getAll', { filterMode: 'manual', conditions: { items: [CONDITION] } }),
    ],
    ['Create', () => run('create', { columns: AUTO_MAP })],
    ['Update', () => run('update', { recordId: { __rl: true, mode: 'id', value: id }, columns: AUTO_MAP })],
    ['Create or Update', () => run('upsert', { columns: mapByEmail })],
    ['Sync', () => run('sync', { columns: mapByEmail })],
    [
      'a delivery of the webhook trigger',
      async () => {
        orders.insert({ number: `T ${++count}` });
        await env.service.waitForDeliveries();
        await trigger.waitUntilIdle();
      },
    ],
    [
      'a poll by date',
      async () => {
        await poller.poll();
        await poller.waitUntilIdle();
      },
    ],
  ];
}

async function trace(session: Session, run: Path[1]): Promise<Trace> {
  await run();
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await session.post('Profiler.takePreciseCoverage');
  await run();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  await session.post('Profiler.stopPreciseCoverage');
  return summarize(result);
}

async function main(): Promise<void> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  const env = await TestEnvironment.start();
  const rows: Record<string, { files: number; functions: number; lines: number }> = {};
  for (const [name, run] of await createPaths(env)) {
    const { files, functions, lines } = await trace(session, run);
    rows[name] = { files: files.size, functions, lines };
    if (!process.argv.includes('--files')) continue;
    console.log(`\n${name}`);
    for (const [file, ran] of [...files].sort()) console.log(`  ${file} (${ran})`);
  }
  console.table(rows);
}

void main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
