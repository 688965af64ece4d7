/**
 * `npm run demo`: starts the embedded Record Database Service with sample data, runs example workflows on
 * n8n's own engine with the built package, and shows what happened. Exits 0, or 1 with the reason.
 */
import { startEngine, type Engine, type Run } from '../test/harness';
import { loadExample } from '../test/examples';
import { startService, type Service } from '../test/service';

interface Row {
  what: string;
  result: string;
  'time (ms)': number;
  requests: number;
}

const rows: Row[] = [];

const step = (text: string) => console.log(`\n▸ ${text}`);
const say = (text: string) => console.log(`    ${text}`);

function check(holds: boolean, problem: string): void {
  if (!holds) throw new Error(problem);
}

async function timed(service: Service, what: string, work: () => Promise<string>): Promise<void> {
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
  for (const node of run.executedNodes) say(`${node}: ${run.itemsOf(node).length} item(s)`);
  return run;
}

async function createToDelete(engine: Engine, service: Service): Promise<string> {
  const run = await runExample(engine, service, 'create-read-update-delete');
  const [read] = run.jsonOf('Read It Back');
  const [gone] = run.jsonOf('Delete It');
  say(`read back: ${JSON.stringify(read)}`);
  say(`deleted:   ${JSON.stringify(gone)}`);
  check(
    read?.credit_limit === 5000,
    `the updated credit was not read back, but ${String(read?.credit_limit)}`,
  );
  check(gone?.deleted === true && gone.id === read?.id, 'the record that was created is not the one deleted');
  check(!service.table('Customers').records.has(String(gone?.id)), 'the record is still at the service');
  return `record ${String(gone?.id)} created, found, updated, read back, deleted`;
}

async function pages(engine: Engine, service: Service): Promise<string> {
  const run = await runExample(engine, service, 'page-through-orders');
  const ids = new Set(run.jsonOf('All Orders').map(({ id }) => id));
  const { size } = service.table('Orders').records;
  check(ids.size === size, `${ids.size} of ${size} orders were read`);
  return `${ids.size} orders, each once`;
}

/** Three published workflows; the service's own deliveries run them. */
async function triggers(engine: Engine, service: Service): Promise<string> {
  const events = ['insert', 'update', 'delete'] as const;
  const active = await Promise.all(
    events.map((event) => engine.activate(loadExample(`trigger-${event}`, service))),
  );
  say(`subscriptions at the service: ${service.subscriptions.map(({ type }) => type).join(', ')}`);
  const customers = service.table('Customers');
  const { id } = customers.insert({ company: 'Somebody Else' });
  customers.update(id, { company: 'Somebody Else, Renamed' });
  customers.delete(id);
  await Promise.all(active.map((trigger) => trigger.waitForExecutions(1, 60_000)));
  for (const [i, trigger] of active.entries()) {
    const problem = trigger.executions.find(({ error }) => error)?.error?.message;
    check(problem === undefined, `the ${events[i]} workflow failed: ${problem}`);
    say(`${events[i]?.toUpperCase()} delivered → ${trigger.executions.length} execution`);
    check(trigger.executions.length === 1, `${trigger.executions.length} executions for one ${events[i]}`);
  }
  await Promise.all(active.map((trigger) => trigger.deactivate()));
  check(service.subscriptions.length === 0, 'subscriptions were left at the service');
  say('deactivated: no subscription is left at the service');
  return 'INSERT, UPDATE and DELETE each ran their workflow once';
}

async function upsert(engine: Engine, service: Service): Promise<string> {
  const run = await runExample(engine, service, 'upsert');
  const actions = run.jsonOf('Create or Update').map(({ _action }) => String(_action));
  check(actions.join() === 'created,created,updated', `unexpected: ${actions.join()}`);
  return actions.join(', ');
}

async function main(): Promise<void> {
  step('Starting the embedded Record Database Service');
  const service = await startService();
  say(
    `${service.baseUrl} with ${service.tables.map(({ name, records }) => `${records.size} ${name}`).join(', ')}`,
  );
  step("Starting n8n's engine with the built package");
  const engine = await startEngine();
  try {
    await engine.setCredential('recordDatabaseApi', { baseUrl: service.baseUrl, ...service.keys });
    const tested = await engine.testCredential('recordDatabaseApi');
    say(`credential test: ${tested.status}, ${tested.message}`);
    check(tested.status === 'OK', tested.message);

    step('Create → get many with a filter → update → get → delete');
    await timed(service, 'create-read-update-delete', () => createToDelete(engine, service));
    step('Page through a few thousand records');
    await timed(service, 'page-through-orders', () => pages(engine, service));
    step('Create or update by e-mail');
    await timed(service, 'upsert', () => upsert(engine, service));
    step('Triggers: INSERT, UPDATE, DELETE from real deliveries');
    await timed(service, 'trigger-insert, -update, -delete', () => triggers(engine, service));

    const mistakes = service.violations.map(({ message }) => message);
    check(mistakes.length === 0, `the service saw undocumented requests: ${mistakes.join('; ')}`);
    console.log('\nWhat happened');
    console.table(Object.fromEntries(rows.map(({ what, ...rest }) => [what, rest])));
    console.log('Everything worked, and the service saw nothing that its specification does not document.');
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
