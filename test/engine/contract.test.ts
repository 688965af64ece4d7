import { endpointName } from '../../nodes/shared/model/endpoint';
import { allOperations } from '../operations';
import { ENDPOINTS } from '../service/endpoints';
import { casesFor, runOperation, sampleIds, type Case } from './cases';
import { outputOf, World } from './support';

const RECORDS = 'POST /api/v1/data-tables/{dataTableId}/records';

/** The 79 endpoints of the specification: its 78 rows, where plain POST lists and creates. */
const SPECIFIED = [
  ...ENDPOINTS.filter((one) => one !== RECORDS),
  `${RECORDS} list`,
  `${RECORDS} create`,
].sort();

const CSV = {
  data: {
    data: Buffer.from('Company\r\nExample\r\n').toString('base64'),
    mimeType: 'text/csv',
    fileName: 'c.csv',
  },
};

let world: World;
let cases: Case[];
/** Endpoints by the case that called them. */
const seen = new Map<Case, Set<string>>();

const named = ({ pattern, intent, path }: (typeof world.service.requests)[number]) =>
  pattern === RECORDS ? `${pattern} ${intent}` : pattern || `undocumented ${path}`;

/** A session's token for the operations that need one. */
async function withToken(parameters: Record<string, unknown>) {
  if (!['logout', 'getStatus'].includes(String(parameters.operation)) || parameters.resource !== 'session')
    return parameters;
  const login = {
    ...parameters,
    operation: 'login',
    email: world.service.user.email,
    password: world.service.user.password,
  };
  const [session] = outputOf(await runOperation(world, 'RecordDatabaseUsers', { ...login }));
  return { ...parameters, token: session!.token };
}

/** Subscriptions to remove are made first. */
async function withSubscription(parameters: Record<string, unknown>) {
  if (parameters.operation !== 'unsubscribe') return parameters;
  const made = {
    resource: 'webhook',
    operation: 'subscribe',
    type: 'INSERT',
    platform: 'n8n',
    hookUrl: 'https://example.com/other',
  };
  const [one] = outputOf(
    await runOperation(world, 'RecordDatabase', {
      ...made,
      dataTableId: { __rl: true, mode: 'id', value: world.table('Orders').id },
    }),
  );
  return { ...parameters, subscriptionId: one!.id };
}

/** A record of its own to delete: the others are needed later. */
function withOwnRecord(parameters: Record<string, unknown>) {
  if (parameters.resource !== 'record' || parameters.operation !== 'delete') return parameters;
  return { ...parameters, recordId: world.table('Customers').insert({ company: 'Short Lived' }).id };
}

beforeAll(async () => {
  world = await World.start();
  cases = casesFor(world, await sampleIds(world));
  for (const one of cases) {
    const parameters = withOwnRecord(await withSubscription(await withToken(one.parameters)));
    const before = world.service.requests.length;
    const run = await runOperation(world, one.type, parameters, [{ json: {}, binary: CSV }]);
    if (run.error)
      throw new Error(
        `${one.name}: ${run.error.message} | ${String((run.error as { description?: string }).description)}`,
      );
    seen.set(one, new Set(world.service.requests.slice(before).map(named)));
  }
});
afterAll(() => world.stop());

test('the operations together call exactly the 79 endpoints of the specification', () => {
  const wire = new Set([...seen.values()].flatMap((endpoints) => [...endpoints]));
  expect([...wire].sort()).toEqual(SPECIFIED);
  expect(SPECIFIED).toHaveLength(79);
});

test('the operations declare exactly the endpoints of the specification', () => {
  const declared = new Set(allOperations().flatMap(({ endpoints }) => endpoints.map(endpointName)));
  expect([...declared].sort()).toEqual([...ENDPOINTS].sort());
});

test('no operation calls what it does not declare', () => {
  // Field names are checked everywhere; that look-up is not the operation's own.
  const lookUp = 'GET /api/v1/data-tables/{dataTableId}/full-fields-info';
  const strays = cases.flatMap((one) => {
    const declared = new Set([lookUp, ...one.operation.endpoints.map(endpointName)]);
    return [...seen.get(one)!]
      .filter((name) => !declared.has(name.replace(/ (list|create)$/, '')))
      .map((name) => `${one.name}: ${name}`);
  });
  expect(strays).toEqual([]);
});

test('every operation was driven, and nothing undocumented was sent', () => {
  const driven = new Set(cases.map(({ operation }) => operation));
  expect(
    allOperations()
      .filter((one) => !driven.has(one))
      .map(({ action }) => action),
  ).toEqual([]);
  expect(world.violations()).toEqual([]);
});
