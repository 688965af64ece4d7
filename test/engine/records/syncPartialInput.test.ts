import { chainNodes, createNode, type WorkflowJson } from '../../harness';
import { createSeed, scaleRuns } from '../../randomness';
import type { Table } from '../../service';
import { Random } from '../../service/state/random';
import { AUTO_MAP, START, toLocator, TYPE } from '../support/testEnvironment';
import { useTestEnvironment } from '../support/useTestEnvironment';

/** Whatever cuts the input of a Sync short, it deletes at most as many records as Maximum Deletions allows. */

const env = useTestEnvironment();
const random = new Random(createSeed());
let tableCount = 0;

interface Case {
  rows: object[];
  maximumDeletions: string;
}

const to = (...names: string[]) => names.map((node) => ({ node, type: 'main', index: 0 }));
const noOp = (name: string) => createNode(name, 'n8n-nodes-base.noOp');
const createLoop = (batchSize: number) => createNode('Loop', 'n8n-nodes-base.splitInBatches', { batchSize });

/** Workflows that hand the Sync node only a part of the items. */
const CUTS: Record<string, (sync: ReturnType<typeof createNode>, count: number) => [WorkflowJson, number?]> =
  {
    'Execute Once': (sync) => [chainNodes(START, { ...sync, executeOnce: true })],
    'a page that failed, or a filter': (sync, count) => [
      chainNodes(START, sync),
      random.nextInt(1, Math.max(1, count - 1)),
    ],
    'a loop': (sync, count) => [
      {
        nodes: [START, createLoop(random.nextInt(1, count)), sync],
        connections: {
          Start: { main: [to('Loop')] },
          Loop: { main: [[], to('Sync')] },
          Sync: { main: [to('Loop')] },
        },
      },
    ],
    'a side branch of a loop': (sync, count) => [
      {
        nodes: [START, createLoop(random.nextInt(1, count)), noOp('Inside'), sync],
        connections: {
          Start: { main: [to('Loop')] },
          Loop: { main: [[], to('Inside')] },
          Inside: { main: [to('Sync', 'Loop')] },
        },
      },
    ],
    'two branches': (sync, count) => [
      {
        nodes: [START, noOp('One'), noOp('Two'), sync],
        connections: {
          Start: { main: [to('One', 'Two')] },
          One: { main: [to('Sync')] },
          Two: { main: [to('Sync')] },
        },
      },
      random.nextInt(1, count),
    ],
  };

function createCase(): Case {
  const count = random.nextInt(2, 90);
  const rows = Array.from({ length: count }, (_, n) => ({ sku: `p${n}`, name: `Part ${n}` }));
  const maximumDeletions = random.pick(['', '', String(random.nextInt(0, 40)), `${random.nextInt(0, 60)}%`]);
  return { rows, maximumDeletions };
}

function countAllowed({ rows, maximumDeletions }: Case): number {
  if (maximumDeletions === '') return Math.max(3, Math.floor(rows.length / 5));
  const number = parseInt(maximumDeletions, 10);
  return maximumDeletions.endsWith('%') ? Math.floor((rows.length * number) / 100) : number;
}

function addTable({ rows }: Case): Table {
  const table = env.service.addTable({
    name: `Cut ${++tableCount}`,
    fields: [
      { name: 'SKU', type: 'Text' },
      { name: 'Name', type: 'Text' },
    ],
  });
  for (const row of rows) table.insert(row as Record<string, unknown>);
  return table;
}

const createSync = (table: Table, { maximumDeletions }: Case) =>
  createNode('Sync', TYPE, {
    resource: 'record',
    operation: 'sync',
    dataTableId: toLocator(table.id),
    columns: { ...AUTO_MAP, matchingColumns: ['sku'] },
    deleteMissing: true,
    maximumDeletions,
  });

const run = (workflow: WorkflowJson, rows: object[]) =>
  env.engine.run(workflow, { input: rows.map((json) => ({ json })) as never });

const cases = Array.from({ length: scaleRuns(60) }, (_, number) => number);

describe.each(Object.keys(CUTS))('%s', (name) => {
  test.each(cases)('random case %i', async () => {
    const one = createCase();
    const table = addTable(one);
    const [workflow, length = one.rows.length] = CUTS[name]!(createSync(table, one), one.rows.length);
    await run(workflow, one.rows.slice(0, length));
    const deleted = one.rows.length - table.records.size;
    expect(deleted).toBeGreaterThanOrEqual(0);
    expect({ one, length, deleted: Math.min(deleted, countAllowed(one)) }).toEqual({ one, length, deleted });
  });
});

test.each(cases)('random case %i: all missing records are deleted, or none', async () => {
  const one = createCase();
  const table = addTable(one);
  const length = random.nextInt(1, one.rows.length);
  await run(chainNodes(START, createSync(table, one)), one.rows.slice(0, length));
  const missing = one.rows.length - length;
  const deleted = missing <= countAllowed(one) ? missing : 0;
  expect({ one, length, left: table.records.size }).toEqual({ one, length, left: one.rows.length - deleted });
});
