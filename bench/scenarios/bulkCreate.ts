import type { Engine } from '../../test/harness';
import {
  createKeyAndCityColumns,
  createWriteParameters,
  runHttpRequestNode,
  runOwnImport,
  runOwnNode,
} from '../contenders/engine';
import type { Scenario } from '../report';
import { RequestComparison } from '../requestComparison';

const COUNT = 2_000;
/** Milliseconds that the service needs for an import. */
const IMPORT_MS = 5_000;

const input = Array.from({ length: COUNT }, (_, index) => ({ key: `k${index}`, city: `City ${index % 97}` }));
const columns = createKeyAndCityColumns();
const body = createWriteParameters('key', 'city');

export async function measureBulkCreate(engine: Engine): Promise<Scenario> {
  const comparison = new RequestComparison({ before: 0, after: COUNT }, { jobMs: IMPORT_MS });
  const imported = await comparison.measure('Import, Run With Items', (service) =>
    runOwnImport(engine, service, input),
  );
  const created = await comparison.measure('Create, 8 at once', (service) =>
    runOwnNode(engine, service, { operation: 'create', columns }, input),
  );
  await comparison.measure('HTTP Request node, one request an item', (service) =>
    runHttpRequestNode(engine, service, body, input),
  );
  return {
    title: 'Create 2,000 records without a limit: requests',
    text: `At 40 ms latency. The import takes ${IMPORT_MS / 1000} s in the service; most of its requests look whether it has ended.`,
    ...comparison.table,
    targets: [
      {
        text: `an import needs at most 20 requests: ${imported.requests} against ${created.requests}`,
        holds: imported.isRight && imported.requests <= 20,
      },
    ],
  };
}
