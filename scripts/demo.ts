/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, no-console -- not shipped: runs on Node */
/**
 * `npm run demo [-- --profile met]`: starts the embedded Record Database Service with sample data, runs example workflows on
 * n8n's own engine with the built package, and shows what happened. Exits 0, or 1 with the reason.
 */
import { parseArgs } from 'node:util';
import { loadExample } from '../test/examples';
import { type Engine, type Run, startEngine } from '../test/harness';
import { parseProfile, type Service, startService } from '../test/service';

interface Row {
  what: string;
  result: string;
  'time (ms)': number;
  requests: number;
}

const rows: Row[] = [];

const printStep = (text: string) => console.log(`\n▸ ${text}`);
const printLine = (text: string) => console.log(`    ${text}`);

function check(holds: boolean, problem: string): void {
  if (!holds) throw new Error(problem);
}

async function measureRequests(service: Service, what: string, work: () => Promise<string>): Promise<void> {
  const [started, before] = [performance.now(), service.requests.length];
  const result = await work();
  const requests = service.requests.length - before;
  rows.push({ what, result, 'time (ms)': Math.round(performance.now() - started), requests });
}

async function runExample(engine: Engine, service: Service, name: string): Promise<Run> {
  const run = await engine.run(loadExample(name, service));
  if (run.error) {
    const { message, description } = run.error as { message: string; description?: string };
    throw new Error(`examples/${name}.json failed: ${message}. ${description ?? ''}`);
  }
  for (const node of run.executedNodes) printLine(`${node}: ${run.getItems(node).length} item(s)`);
  return run;
}

async function runCreateToDelete(engine: Engine, service: Service): Promise<string> {
  const run = await runExample(engine, service, 'create-read-update-delete');
  const [read] = run.getJson('Read It Back');
  const [gone] = run.getJson('Delete It');
  printLine(`read back: ${JSON.stringify(read)}`);
  printLine(`deleted:   ${JSON.stringify(gone)}`);
  check(
    read?.credit_limit === 5000,
    `the updated credit was not read back, but ${String(read?.credit_limit)}`,
  );
  check(gone?.deleted === true && gone.id === read?.id, 'the record that was created is not the one deleted');
  check(!service.getTable('Customers').records.has(String(gone?.id)), 'the record is still at the service');
  return `record ${String(gone?.id)} created, found, updated, read back, deleted`;
}

async function runPaging(engine: Engine, service: Service): Promise<string> {
  const run = await runExample(engine, service, 'page-through-orders');
  const ids = new Set(run.getJson('All Orders').map(({ id }) => id));
  const { size } = service.getTable('Orders').records;
  check(ids.size === size, `${ids.size} of ${size} orders were read`);
  return `${ids.size} orders, each once`;
}

/** Publishes three workflows. Deliveries from the service start them. */
async function runTriggers(engine: Engine, service: Service): Promise<string> {
  const events = ['insert', 'update', 'delete'] as const;
  const active = await Promise.all(
    events.map((event) => engine.activate(loadExample(`trigger-${event}`, service))),
  );
  printLine(`subscriptions at the service: ${service.subscriptions.map(({ type }) => type).join(', ')}`);
  const customers = service.getTable('Customers');
  const { id } = customers.insert({ company: 'Somebody Else' });
  customers.update(id, { company: 'Somebody Else, Renamed' });
  customers.delete(id);
  await Promise.all(active.map((trigger) => trigger.waitForExecutions(1, 60_000)));
  for (const [i, trigger] of active.entries()) {
    const problem = trigger.executions.find(({ error }) => error)?.error?.message;
    check(problem === undefined, `the ${events[i]} workflow failed: ${problem}`);
    printLine(`${events[i]?.toUpperCase()} delivered → ${trigger.executions.length} execution`);
    check(trigger.executions.length === 1, `${trigger.executions.length} executions for one ${events[i]}`);
  }
  await Promise.all(active.map((trigger) => trigger.deactivate()));
  check(service.subscriptions.length === 0, 'subscriptions were left at the service');
  printLine('deactivated: no subscription is left at the service');
  return 'INSERT, UPDATE and DELETE each ran their workflow once';
}

async function runUpsert(engine: Engine, service: Service): Promise<string> {
  const run = await runExample(engine, service, 'upsert');
  const actions = run.getJson('Create or Update').map(({ _action }) => String(_action));
  check(actions.join() === 'created,created,updated', `unexpected: ${actions.join()}`);
  return actions.join(', ');
}

/** Publishes the example with both triggers. It copies all customers at night, and brings what deliveries missed. */
async function runNeverMissAChange(engine: Engine, service: Service): Promise<string> {
  const [customers, copies] = [service.getTable('Customers'), service.getTable('Customer Copies')];
  // A copy takes about three requests, and the service takes 240 in a minute.
  for (const id of [...customers.records.keys()].slice(20)) customers.delete(id);
  const active = await engine.activate(loadExample('never-miss-a-change', service));
  await active.runFrom('Every Night');
  check(copies.records.size === customers.records.size, `${copies.records.size} customers were copied`);
  printLine(`first nightly run: ${copies.records.size} customers copied`);

  const { deliveryCopies } = service.options;
  service.options.deliveryCopies = 0;
  const { id } = customers.insert({ company: 'Missed by the Webhook' });
  printLine('a customer was created, and its delivery was lost');
  await active.poll();
  await active.waitUntilIdle();
  service.options.deliveryCopies = deliveryCopies;
  const found = [...copies.records.values()].filter(({ source_id }) => source_id === id);
  check(found.length === 1, `the missed customer was copied ${found.length} times`);
  printLine('next poll: the missed customer was copied');
  await active.deactivate();
  return `${copies.records.size} customers, each once`;
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { profile: { type: 'string', default: 'documented' } } });
  const profile = parseProfile(values.profile);
  printStep(`Starting the embedded Record Database Service, ${profile}`);
  const service = await startService({ profile });
  printLine(
    `${service.baseUrl} with ${service.tables.map(({ name, records }) => `${records.size} ${name}`).join(', ')}`,
  );
  printStep("Starting n8n's engine with the built package");
  const engine = await startEngine();
  try {
    await engine.setCredential('recordDatabaseApi', {
      baseUrl: service.baseUrl,
      advancedSettings: true,
      fileHosts: service.fileHost,
      serviceTimeZone: service.options.timeZone,
      ...service.keys,
    });
    const tested = await engine.testCredential('recordDatabaseApi');
    printLine(`credential test: ${tested.status}, ${tested.message}`);
    check(tested.status === 'OK', tested.message);

    printStep('Create → get many with a filter → update → get → delete');
    await measureRequests(service, 'create-read-update-delete', () => runCreateToDelete(engine, service));
    printStep('Page through a few thousand records');
    await measureRequests(service, 'page-through-orders', () => runPaging(engine, service));
    printStep('Create or update by e-mail');
    await measureRequests(service, 'upsert', () => runUpsert(engine, service));
    printStep('Triggers: INSERT, UPDATE, DELETE from real deliveries');
    await measureRequests(service, 'trigger-insert, -update, -delete', () => runTriggers(engine, service));

    printStep('Never miss a change: a copy of each customer by both triggers');
    await measureRequests(service, 'never-miss-a-change', () => runNeverMissAChange(engine, service));

    const mistakes = service.violations.map(({ message }) => message);
    check(mistakes.length === 0, `the service saw undocumented requests: ${mistakes.join('; ')}`);
    console.log('\nWhat happened');
    console.table(Object.fromEntries(rows.map(({ what, ...rest }) => [what, rest])));
    console.log('Everything worked, and the service saw nothing that its specification does not document.');
    console.log('Next: npm run n8n opens the examples in the editor of n8n.');
  } finally {
    await engine.stop();
    await service.stop();
  }
}

main().then(
  () => process.exit(0),
  (error: Error) => {
    console.error(`\nThe demo failed: ${error.message}`);
    process.exit(1);
  },
);
