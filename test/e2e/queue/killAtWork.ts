import { until } from '../until';
import { CONCURRENCY } from './cluster';
import { LIMIT, type World } from './world';

const when = { method: 'POST', pattern: '/api/v1/data-tables/{dataTableId}/records' };

/**
 * Kills a worker while all of its executions are running. Some have written their record and wait for the response.
 * The others have written nothing, because another client uses up the limit of the key.
 */
export async function killAtWork(world: World, index: number, workflowId: string): Promise<void> {
  const { service, cluster, tables } = world;
  const withoutAnswer = CONCURRENCY - 1;
  const answer = service.faults.add({ when, fault: { type: 'stall', ms: 40_000 }, times: withoutAnswer });
  const freeKey = service.faults.add({
    when,
    fault: { type: 'rateLimit', scope: 'minute', retryAfter: LIMIT.windowMs / 1_000 },
    times: Infinity,
  });
  await until('all slots to be at work, and none about to end', async () => {
    const running = await world.count(workflowId, ['running']);
    const ended = await world.count(workflowId, ['success']);
    return (
      running === CONCURRENCY * cluster.workers.length && tables.copies.records.size - ended === withoutAnswer
    );
  });
  await cluster.workers[index]?.kill();
  freeKey();
  answer();
}
