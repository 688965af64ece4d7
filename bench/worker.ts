/** One of several n8n processes that use the same key at the same time. */
import { openEngine, ours } from './contenders/engine';
import type { Stand } from './remote';

export interface Share {
  failed: number;
  done: number;
}

process.on('message', async ({ stand, name, count }: { stand: Stand; name: string; count: number }) => {
  const engine = await openEngine();
  const input = Array.from({ length: count }, (_, index) => ({ key: `${name}-${index}` }));
  const columns = { mappingMode: 'defineBelow', value: { key: '={{ $json.key }}' } };
  const run = await ours(engine, stand, { operation: 'create', columns }, input);
  const failed = run.jsonOf('Node').filter((json) => 'error' in json).length;
  process.send?.({ failed, done: count - failed } satisfies Share);
  await engine.stop();
});
