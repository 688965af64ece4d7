import { chain, node, startEngine, type Engine } from '../harness';
import { startService, type Service } from '../service';

let service: Service;
let engine: Engine;
beforeAll(async () => {
  service = await startService();
  engine = await startEngine();
  await engine.setCredential('recordDatabaseApi', { baseUrl: service.baseUrl, ...service.keys });
});
afterAll(async () => {
  await engine.stop();
  await service.stop();
});
afterEach(() => expect(service.violations).toEqual([]));

test('reads many records of a table', async () => {
  const table = service.table('Customers')!;
  const run = await engine.run(
    chain(
      node('Start', 'n8n-nodes-base.manualTrigger'),
      node('Get', 'n8n-nodes-record-database.recordDatabase', {
        resource: 'record',
        operation: 'getAll',
        dataTableId: { __rl: true, mode: 'id', value: table.id },
        returnAll: true,
        filterMode: 'manual',
        conditions: { items: [{ field: 'email|email', operator: 'contains', value: '1' }] },
      }),
    ),
  );
  expect(run.error).toBeUndefined();
  console.log(
    run.jsonOf('Get').length,
    run.jsonOf('Get')[0],
    table.fields.map((f) => f.slug + ':' + f.type),
  );
});
