import { setTimeout as wait } from 'node:timers/promises';
import { CONCURRENCY } from './cluster';
import { until } from '../until';
import type { World } from './world';

const CREATE = '/api/v1/data-tables/{dataTableId}/records';

/**
 * Kills a worker in the worst moment: all its executions are under way. Some have written their record and
 * wait for the answer; the others wait for the key's next window and have written nothing.
 */
export async function killAtWork(world: World, index: number, workflowId: string): Promise<void> {
  const { service, cluster } = world;
  const { perMinute } = service.options;
  const stalled = service.faults.add({
    when: { method: 'POST', pattern: CREATE },
    fault: { type: 'stall', ms: 20_000 },
    times: CONCURRENCY - 1,
  });
  await wait(500);
  // Somebody else uses the key up.
  service.options.perMinute = 1;
  const slots = CONCURRENCY * cluster.workers.length;
  await until('all slots to be at work', async () => (await world.count(workflowId, ['running'])) === slots);
  await cluster.workers[index]?.kill();
  service.options.perMinute = perMinute;
  stalled();
}
