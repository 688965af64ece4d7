/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { readFileSync } from 'node:fs';
import { AUTO_MAP, getOutput, TestEnvironment, toColumns } from '../engine/support/testEnvironment';
import type { Run } from '../harness';
import type { FieldDefinition, Table } from '../service';

/** How many requests an operation needs for 1,000 records: the first column of numbers in docs/scaling.md. */

const COUNT = 1_000;
const page = readFileSync('docs/scaling.md', 'utf8');

/** The number in the row of the table that begins with these cells. */
function readNumber(work: string, operation: string): number {
  const rows = page.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
  const at = rows.findIndex(([, first]) => first === work);
  // An empty first cell stands for the one above.
  const row = rows.slice(at).find(([, , second]) => second === operation);
  if (at < 0 || !row) throw new Error(`docs/scaling.md has no row "${work}", "${operation}"`);
  return Number(row[3]!.replaceAll(',', ''));
}

const FIELDS: FieldDefinition[] = [
  { name: 'SKU', type: 'Text', unique: true },
  { name: 'Price', type: 'Currency' },
  { name: 'Kind', type: 'Text' },
];
const byKey = { columns: { ...AUTO_MAP, matchingColumns: ['sku'] } };
const all = { filterMode: 'json', filterJson: '{"Kind": "a"}', maximum: COUNT };
const price = { columns: toColumns({ price: 5 }) };
const createRows = (isChanged: (index: number) => boolean) =>
  Array.from({ length: COUNT }, (_, index) => ({ SKU: `P${index}`, Price: isChanged(index) ? 2 : 1 }));
const oneInHundred = createRows((index) => index % 100 === 0);
const everyOne = createRows(() => true);
const ONE_PERCENT = 'bring records up to date, 1 % of the rows changed';
const ALL_ROWS = 'bring records up to date, all rows changed';

type Case = [work: string, operation: string, run: (env: TestEnvironment, table: Table) => Promise<Run>];

const CASES: Case[] = [
  [
    ONE_PERCENT,
    '_Create or Update_',
    (env, table) => env.runRecordOperation('upsert', table, byKey, oneInHundred),
  ],
  [ONE_PERCENT, '_Sync_', (env, table) => env.runRecordOperation('sync', table, byKey, oneInHundred)],
  [ALL_ROWS, '_Create or Update_', (env, table) => env.runRecordOperation('upsert', table, byKey, everyOne)],
  [
    'find the records of items by a key',
    '_Look Up_',
    (env, table) =>
      env.runRecordOperation('lookUp', table, { columns: toColumns({ sku: '={{ $json.SKU }}' }) }, everyOne),
  ],
  [
    'give all records the same values',
    '_Batch Update_',
    (env, table) => env.runRecordOperation('batchUpdate', table, { ...all, ...price }),
  ],
  ['delete all', '_Delete Many_', (env, table) => env.runRecordOperation('deleteMany', table, all)],
  [
    'read all',
    '_Get Many_ with _Return All_',
    (env, table) => env.runRecordOperation('getAll', table, { returnAll: true }),
  ],
];

test.each(CASES)('%s: %s', async (work, operation, run) => {
  const env = await TestEnvironment.start({ sample: 'empty' });
  try {
    const table = env.service.addTable({ name: 'Parts', fields: FIELDS });
    for (let index = 0; index < COUNT; index++) table.insert({ sku: `P${index}`, price: 1, kind: 'a' });
    const before = env.service.requests.length;
    getOutput(await run(env, table));
    // A request to read the fields of the table is not counted there.
    const requests = env.listRequests(before).filter((pattern) => !pattern.includes('field'));
    expect(requests).toHaveLength(readNumber(work, operation));
  } finally {
    await env.stop();
  }
});
