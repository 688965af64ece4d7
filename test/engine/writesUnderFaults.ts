import type { Fault } from '../service';
import { columns, World } from './support';
import { chain, node } from '../harness';
import { START } from './support';

/** What went wrong and what came of it, for a run of writes under the faults of R2. */
export interface Outcome {
  written: number;
  /** Values or tasks that exist more than once. */
  duplicates: number;
  /** Items that reported success but left nothing. */
  lost: number;
  /** Items whose error says that the outcome is unknown. */
  unknown: number;
  /** Items that wrote but reported a failure that is not "outcome unknown". */
  misreported: number;
  failed: number;
  requests: number;
}

/** 5 % resets, half of them after the write; 2 % server errors; 0.5 % answers that never come. */
const FAULTS: Array<[probability: number, fault: Fault]> = [
  [0.025, { type: 'reset', when: 'before' }],
  [0.025, { type: 'reset', when: 'after' }],
  [0.01, { type: 'status', status: 500, when: 'before' }],
  [0.01, { type: 'status', status: 500, when: 'after' }],
  [0.005, { type: 'stall', ms: 3_600_000 }],
];

const armed = (world: World, pattern: string) => {
  for (const [probability, fault] of FAULTS) {
    world.service.faults.add({ times: Infinity, probability, fault, when: { method: 'POST', pattern } });
  }
};

/** All requests share one event loop with the service: far beyond any turn that one of them waits for. */
const requests = { parallel: 50, timeout: 60 };
const isUnknown = (json: object) => String((json as { error?: unknown }).error).startsWith('Outcome unknown');

/** Creates `count` records, each with a value of its own in a unique field. */
export async function createUnderFaults(count: number, seed: number, dedupeField = ''): Promise<Outcome> {
  const world = await World.start({ sample: 'empty', seed });
  try {
    const table = world.service.addTable({
      name: 'Things',
      fields: [
        { name: 'Key', type: 'Text', unique: dedupeField !== '' },
        { name: 'Note', type: 'Text' },
      ],
    });
    armed(world, 'POST /api/v1/data-tables/{dataTableId}/records');
    const input = Array.from({ length: count }, (_, index) => ({ key: `k${index}` }));
    const parameters = {
      columns: columns({ key: '={{ $json.key }}' }),
      options: dedupeField ? { dedupeField } : {},
      requests,
    };
    const run = await world.records('create', table, parameters, input, { onError: 'continueRegularOutput' });
    if (run.error) throw run.error;
    const items = run.jsonOf('Node');
    if (items.length !== count) throw new Error(`${items.length} items came out of ${count}`);

    const stored = new Map<string, number>();
    for (const record of table.records.values()) {
      stored.set(String(record.key), (stored.get(String(record.key)) ?? 0) + 1);
    }
    const failed = (index: number) => 'error' in items[index]!;
    return {
      written: stored.size,
      duplicates: [...stored.values()].filter((times) => times > 1).length,
      lost: input.filter(
        ({ key }, index) => !failed(index) && (items[index]!.key !== key || !stored.has(key)),
      ).length,
      unknown: items.filter(isUnknown).length,
      misreported: input.filter(
        ({ key }, index) => failed(index) && stored.has(key) && !isUnknown(items[index]!),
      ).length,
      failed: items.filter((json) => 'error' in json).length,
      requests: world.service.requests.length,
    };
  } finally {
    await world.stop();
  }
}

/** Runs `count` tasks once each, under the same faults. */
export async function runTasksUnderFaults(count: number, seed: number): Promise<Outcome> {
  const world = await World.start({ seed });
  try {
    const [task] = world.service.tasks;
    armed(world, 'POST /api/v1/tasks/run/{taskId}');
    const run = await world.engine.run(
      chain(
        START,
        node(
          'Node',
          'n8n-nodes-record-database.recordDatabaseTasks',
          {
            resource: 'task',
            operation: 'run',
            taskId: { __rl: true, mode: 'id', value: task!.id },
            requests,
          },
          { onError: 'continueRegularOutput' },
        ),
      ),
      { input: Array.from({ length: count }, (_, index) => ({ json: { index } })) },
    );
    if (run.error) throw run.error;
    const items = run.jsonOf('Node');
    const sent = world.service.requests.filter(({ pattern }) => pattern.includes('/tasks/run/')).length;
    const unknown = items.filter(isUnknown).length;
    const failed = items.filter((json) => 'error' in json).length;
    const { length: written } = world.service.executions;
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
    await world.stop();
  }
}
