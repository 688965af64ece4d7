import { range } from 'lodash';
import { chainNodes, createNode } from '../../harness';
import type { RecordedRequest } from '../../service';
import { AUTO_MAP, START, TestEnvironment, toColumns, toLocator, TYPE } from '../support/testEnvironment';

/** A field that is renamed while one node writes is an error of that node, and of no later one. */

const isWrite = ({ method, intent }: RecordedRequest) => method === 'POST' && intent !== 'list';

describe.each(['documented', 'met'] as const)('%s', (profile) => {
  let env: TestEnvironment;
  beforeAll(async () => (env = await TestEnvironment.start({ profile, sample: 'empty' })));
  afterAll(() => env.stop());

  test.each(['continueRegularOutput', 'continueErrorOutput'])(
    'the next node writes to another table, and its items are no errors: %s',
    async (onError) => {
      const [table, other] = ['Jobs', 'Notes'].map((name) =>
        env.service.addTable({
          name: `${name} ${onError}`,
          fields: ['Key', 'Note'].map((field) => ({ name: field, type: 'Text' as const })),
        }),
      );
      const ids = range(4).map((n) => table!.insert({ key: `k${n}`, note: 'old' }).id);
      const since = env.service.requests.length;
      let isDone = false;
      const until = {
        then(resolve: () => void) {
          if (!isDone && env.service.requests.slice(since).filter(isWrite).length >= 2) {
            isDone = true;
            Object.assign(
              table!.fields.find(({ slug }) => slug === 'note')!,
              { slug: 'remark', name: 'Remark' },
            );
          }
          resolve();
        },
      };
      env.service.faults.add({
        times: Infinity,
        fault: { type: 'hold', until: until as unknown as Promise<void> },
      });
      const resource = 'record';
      const first = createNode(
        'First',
        TYPE,
        {
          resource,
          operation: 'update',
          dataTableId: toLocator(table!.id),
          recordId: { ...toLocator(''), value: '={{ $json.id }}' },
          columns: AUTO_MAP,
        },
        { onError },
      );
      const second = createNode(
        'Second',
        TYPE,
        {
          resource,
          operation: 'create',
          dataTableId: toLocator(other!.id),
          columns: toColumns({ key: 'made' }),
        },
        { onError },
      );
      const workflow = chainNodes(START, first, second);
      // The failed items of the first node go to the second one too.
      const connections = workflow.connections as Record<string, { main: unknown[][] }>;
      connections.First!.main = [connections.First!.main[0]!, connections.First!.main[0]!];
      const run = await env.engine.run(workflow, {
        input: ids.map((id) => ({ json: { id, note: 'new' } })) as never,
      });
      env.service.faults.clear();
      env.takeViolations();
      expect(other!.records.size).toBeGreaterThan(0);
      const outputs = [0, 1].flatMap((index) => run.getJson('Second', index) ?? []);
      expect(outputs.filter(({ error }) => error !== undefined)).toEqual([]);
      expect(outputs.filter(({ _action }) => _action === 'created')).toHaveLength(other!.records.size);
    },
  );
});
