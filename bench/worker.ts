/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not shipped: runs on Node */
/** One of several concurrent n8n processes with the same key. */
import { openEngine, runOwnNode } from './contenders/engine';
import type { BenchTarget } from './remote';

export interface Share {
  failed: number;
  done: number;
}

process.on('message', async ({ stand, name, count }: { stand: BenchTarget; name: string; count: number }) => {
  const engine = await openEngine();
  const input = Array.from({ length: count }, (_, index) => ({ key: `${name}-${index}` }));
  const columns = { mappingMode: 'defineBelow', value: { key: '={{ $json.key }}' } };
  const run = await runOwnNode(engine, stand, { operation: 'create', columns }, input);
  const failed = run.getJson('Node').filter((json) => 'error' in json).length;
  process.send?.({ failed, done: count - failed } satisfies Share);
  await engine.stop();
});
