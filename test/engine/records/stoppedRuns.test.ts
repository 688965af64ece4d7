import type { IDataObject } from 'n8n-workflow';
import type { Run } from '../../harness';
import type { Fault, Table } from '../../service';
import { AUTO_MAP, getOutput, toLocator } from '../support/testEnvironment';
import { useTestEnvironment } from '../support/useTestEnvironment';

/** A run that stops at its third change: its error names what was changed, and holds it in a form that Undo takes. */

const env = useTestEnvironment();
let table: Table;
let count = 0;
const IDS = ['a', 'b', 'c', 'd'];

beforeEach(() => {
  table = env.service.addTable({
    name: `Stopped ${++count}`,
    fields: ['Code', 'Kind', 'Note'].map((name) => ({ name, type: 'Text' as const })),
  });
  for (const code of IDS) table.insert({ code, kind: 'x', note: `old ${code}` });
});

const REFUSED: Fault = { type: 'status', status: 422, body: { type: 'error', msg: 'Rule', status: 422 } };
const list = () => [...table.records.values()].map(({ code, kind, note }) => [code, kind, note]);
const getOldRecords = ({ error }: Run) =>
  (error as unknown as { context: { data?: { oldRecords: IDataObject[] } } }).context.data?.oldRecords ?? [];
const SELECT = {
  dryRun: false,
  filterMode: 'manual',
  conditions: { items: [{ field: 'kind|text', operator: 'is exact', value: 'x' }] },
};
const NEW = { columns: AUTO_MAP };
const toItems = (more: object) => IDS.map((code) => ({ code, note: `new ${code}`, ...more }));

describe.each<[operation: string, parameters: () => object, input: () => object[]]>([
  [
    'update',
    () => ({ ...NEW, recordId: { ...toLocator(''), value: '={{ $json.id }}' } }),
    () => [...table.records.values()].map(({ id, code }) => ({ id, note: `new ${String(code)}` })),
  ],
  [
    'upsert',
    () => ({
      columns: { ...AUTO_MAP, matchingColumns: ['kind'] },
      options: { onSeveral: 'all' },
    }),
    () => [{ kind: 'x', note: 'new' }],
  ],
  ['upsert', () => ({ columns: { ...AUTO_MAP, matchingColumns: ['code'] } }), () => toItems({})],
  ['sync', () => ({ columns: { ...AUTO_MAP, matchingColumns: ['code'] } }), () => toItems({})],
  ['deleteMany', () => SELECT, () => [{}]],
])('%s', (operation, parameters, input) => {
  test('names what was changed, and Undo takes it from the error', async () => {
    const before = list();
    const items = input();
    env.service.faults.add({
      when: { pattern: /^(POST|DELETE) .*records\/\w+$/, skip: 2 },
      times: Infinity,
      fault: REFUSED,
    });
    const run = await env.withSettings({ parallelRequests: 1 }, () =>
      env.runRecordOperation(operation, table, parameters(), items as never),
    );
    env.service.faults.clear();
    const old = getOldRecords(run);
    expect(old).toHaveLength(2);
    const { description } = run.error as { description?: string };
    for (const { id } of old) expect(description).toContain(String(id));
    expect(description).not.toMatch(/none was|nothing/i);
    expect(list()).not.toEqual(before);
    getOutput(
      await env.runRecordOperation(
        'undo',
        table,
        { dryRun: false, options: { maximumDeletions: '10' } },
        old,
      ),
    );
    expect(list().sort()).toEqual(before.sort());
  });
});

test('an item that continues after a failure holds the records that it has changed', async () => {
  env.service.faults.add({
    when: { pattern: /^POST .*records\/\w+$/, skip: 2 },
    times: Infinity,
    fault: REFUSED,
  });
  const run = await env.withSettings({ parallelRequests: 1 }, () =>
    env.runRecordOperation(
      'upsert',
      table,
      { columns: { ...AUTO_MAP, matchingColumns: ['kind'] }, options: { onSeveral: 'all' } },
      [{ kind: 'x', note: 'new' }],
      { onError: 'continueErrorOutput' },
    ),
  );
  const [item] = run.getJson('Node', 1);
  expect(item).toMatchObject({
    details: { oldRecords: [{ _before: { note: 'old a' } }, { _before: { note: 'old b' } }] },
  });
});

test.each<[string, Fault]>([
  ['was lost', { type: 'reset', when: 'after' }],
  [
    'shows another record',
    { type: 'status', status: 200, body: { type: 'success', id: 'another1ID' }, when: 'after' },
  ],
])('an update whose answer %s keeps the old values, and Undo takes them from the error', async (_, fault) => {
  const before = list();
  const [{ id } = { id: '' }] = table.records.values();
  env.service.faults.add({ when: { pattern: /^POST .*records\/\w+$/ }, times: Infinity, fault });
  env.service.faults.add({
    when: { pattern: /^GET .*records\/\w+$/, skip: 1 },
    times: Infinity,
    fault: { type: 'status', status: 403 },
  });
  const run = await env.runRecordOperation(
    'update',
    table,
    { ...NEW, recordId: { ...toLocator(''), value: '={{ $json.id }}' } },
    [{ id, note: 'new' }],
  );
  env.service.faults.clear();
  const old = getOldRecords(run);
  expect(old).toMatchObject([{ id, _action: 'updated', note: 'new', _before: { note: 'old a' } }]);
  expect(list()).not.toEqual(before);
  getOutput(await env.runRecordOperation('undo', table, { dryRun: false }, old));
  expect(list()).toEqual(before);
});
