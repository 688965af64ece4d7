import type { Engine } from '../../test/harness';
import { createAxiosClient, createKeyAndCityColumns, runInParallel, runOwnNode } from '../contenders/engine';
import type { Scenario } from '../report';
import { RequestComparison } from '../requestComparison';

const COUNT = 1_000;
/** Records with the keys k0 … k499 exist before the run. */
const EXISTING = 500;

const input = Array.from({ length: COUNT }, (_, index) => ({ key: `k${index}`, city: 'Elsewhere' }));
const columns = createKeyAndCityColumns('key');

export async function measureUpsert(engine: Engine): Promise<Scenario> {
  const comparison = new RequestComparison({ before: EXISTING, after: COUNT });
  const us = await comparison.measure('Record Database node', (service) =>
    runOwnNode(engine, service, { operation: 'upsert', columns }, input),
  );
  const theirs = await comparison.measure('find, then write, for each item (8 at once)', async (service) => {
    const client = await createAxiosClient(service);
    await runInParallel(COUNT, 8, async (index) => {
      const items = [{ field_id: 'key', operator: 'is exact', val: input[index]!.key }];
      const { data } = await client.post('', {
        filters: { condition: 'AND', items, child: [] },
        page: 1,
        limit: 1,
      });
      const [found] = (data as { items: Array<{ id: string }> }).items;
      await client.post(found ? `/${found.id}` : '', input[index]);
    });
  });
  return {
    title: 'Upsert 1,000 records, half of them there already: requests',
    text: 'At 40 ms latency. Our node looks many keys up with one request.',
    ...comparison.table,
    targets: [
      {
        text: `fewer requests than find-then-write: ${us.requests} against ${theirs.requests}`,
        holds: us.isRight && us.requests < theirs.requests,
      },
    ],
  };
}
