import { chainNodes, createNode } from '../../harness';
import type { Fault } from '../../service';
import { START, TestEnvironment, toColumns } from '../support/testEnvironment';

/** The results of a run of writes under faults. */
export interface WriteOutcome {
  written: number;
  /** Values or tasks that exist more than once. */
  duplicates: number;
  /** Items that reported success but wrote nothing. */
  lost: number;
  /** Items whose error says that the outcome is unknown. */
  unknown: number;
  /** Items that wrote but reported a failure that is not "outcome unknown". */
  misreported: number;
  failed: number;
  requests: number;
}

/** 5 % resets, half of them after the write; 2 % server errors; 0.5 % requests without a response. */
const FAULTS: Array<[probability: number, fault: Fault]> = [
  [0.025, { type: 'reset', when: 'before' }],
  [0.025, { type: 'reset', when: 'after' }],
  [0.01, { type: 'status', status: 500, when: 'before' }],
  [0.01, { type: 'status', status: 500, when: 'after' }],
  [0.005, { type: 'stall', ms: 3_600_000 }],
];

const addFaults = (env: TestEnvironment, pattern: string) => {
  for (const [probability, fault] of FAULTS) {
    env.service.faults.add({ times: Infinity, probability, fault, when: { method: 'POST', pattern } });
  }
};

/** The service shares this event loop: the timeout, in seconds, is far above the time that any answer takes. */
const SETTINGS = { parallelRequests: 25, requestTimeout: 20 };
const isUnknown = (json: object) => String((json as { error?: unknown }).error).startsWith('Outcome unknown');

/** Creates `count` records, each with a different value in a unique field. */
export async function createUnderFaults(
  count: number,
  seed: number,
  dedupeField = '',
): Promise<WriteOutcome> {
  const env = await TestEnvironment.start({ sample: 'empty', seed });
  try {
    await env.setCredentialFields(SETTINGS);
    const table = env.service.addTable({
      name: 'Things',
      fields: [
        { name: 'Key', type: 'Text', unique: dedupeField !== '' },
        { name: 'Note', type: 'Text' },
      ],
    });
    addFaults(env, 'POST /api/v1/data-tables/{dataTableId}/records');
    const input = Array.from({ length: count }, (_, index) => ({ key: `k${index}` }));
    const parameters = {
      columns: toColumns({ key: '={{ $json.key }}' }),
      ...(dedupeField && { options: { dedupeField } }),
    };
    const run = await env.runRecordOperation('create', table, parameters, input, {
      onError: 'continueRegularOutput',
    });
    if (run.error) throw run.error;
    const items = run.getJson('Node');
    if (items.length !== count) throw new Error(`${items.length} items came out of ${count}`);

    const stored = new Map<string, number>();
    for (const record of table.records.values()) {
      stored.set(String(record.key), (stored.get(String(record.key)) ?? 0) + 1);
    }
    const hasFailed = (index: number) => 'error' in items[index]!;
    return {
      written: stored.size,
      duplicates: [...stored.values()].filter((times) => times > 1).length,
      lost: input.filter(
        ({ key }, index) => !hasFailed(index) && (items[index]!.key !== key || !stored.has(key)),
      ).length,
      unknown: items.filter(isUnknown).length,
      misreported: input.filter(
        ({ key }, index) => hasFailed(index) && stored.has(key) && !isUnknown(items[index]!),
      ).length,
      failed: items.filter((json) => 'error' in json).length,
      requests: env.service.requests.length,
    };
  } finally {
    await env.stop();
  }
}

/** Runs `count` tasks once each, under the same faults. */
export async function runTasksUnderFaults(count: number, seed: number): Promise<WriteOutcome> {
  const env = await TestEnvironment.start({ seed });
  try {
    await env.setCredentialFields(SETTINGS);
    const [task] = env.service.tasks;
    addFaults(env, 'POST /api/v1/tasks/run/{taskId}');
    const run = await env.engine.run(
      chainNodes(
        START,
        createNode(
          'Node',
          'n8n-nodes-record-database.recordDatabaseTasks',
          {
            resource: 'task',
            operation: 'run',
            taskId: { __rl: true, mode: 'id', value: task!.id },
          },
          { onError: 'continueRegularOutput' },
        ),
      ),
      { input: Array.from({ length: count }, (_, index) => ({ json: { index } })) },
    );
    if (run.error) throw run.error;
    const items = run.getJson('Node');
    const sent = env.service.requests.filter(({ pattern }) => pattern.includes('/tasks/run/')).length;
    const unknown = items.filter(isUnknown).length;
    const failed = items.filter((json) => 'error' in json).length;
    const { length: written } = env.service.executions;
    return {
      written,
      duplicates: sent - count,
      lost: 0,
      unknown,
      misreported: failed - unknown,
      failed,
      requests: sent,
    };
  } finally {
    await env.stop();
  }
}
