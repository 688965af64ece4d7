import { chain, node, startEngine, type Engine, type Run } from '../../test/harness';
import { coreNodes } from '../../test/harness/coreNodes';
import type { Stand } from '../remote';

/** n8n's engine with our package as built, and with n8n's own HTTP Request node. */
export async function openEngine(): Promise<Engine> {
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const { HttpRequest } = require('n8n-nodes-base/dist/nodes/HttpRequest/HttpRequest.node.js') as {
    HttpRequest: new () => never;
  };
  coreNodes.httpRequest = new HttpRequest();
  return startEngine();
}

/** One node behind a trigger that puts out `input`. */
export async function runNode(
  engine: Engine,
  type: string,
  parameters: object,
  input: object[] = [{}],
  extra: object = {},
): Promise<Run> {
  const workflow = chain(
    node('Start', 'n8n-nodes-base.manualTrigger'),
    node('Node', type, parameters, { onError: 'continueRegularOutput', ...extra }),
  );
  const run = await engine.run(workflow, { input: input.map((json) => ({ json: json as never })) });
  if (run.error) throw run.error;
  return run;
}

const headersOf = ({ keys }: Stand) => ({
  'X-Service-App-id': keys.appId,
  'X-Service-App-Key': keys.appKey,
  'X-Service-App-Secret': keys.appSecret,
});

const CREDENTIAL = 'recordDatabaseApi';

/** Both nodes take the keys from the same stored credential. */
const useKeys = (engine: Engine, { baseUrl, keys }: Stand) =>
  engine.setCredential(CREDENTIAL, { baseUrl, ...keys });

/** Our node, by resource and operation. */
export async function ours(engine: Engine, stand: Stand, parameters: object, input?: object[]): Promise<Run> {
  await useKeys(engine, stand);
  const dataTableId = { __rl: true, mode: 'id', value: stand.tableId };
  return runNode(
    engine,
    'n8n-nodes-record-database.recordDatabase',
    { resource: 'record', dataTableId, ...parameters },
    input,
  );
}

/** n8n's HTTP Request node on the records of the table. */
export async function httpRequest(
  engine: Engine,
  stand: Stand,
  parameters: object,
  input?: object[],
): Promise<Run> {
  const credential = await useKeys(engine, stand);
  return runNode(
    engine,
    'n8n-nodes-base.httpRequest',
    {
      url: `${stand.baseUrl}/api/v1/data-tables/${stand.tableId}/records`,
      authentication: 'predefinedCredentialType',
      nodeCredentialType: CREDENTIAL,
      ...parameters,
    },
    input,
    { typeVersion: 4.4, credentials: { [CREDENTIAL]: credential } },
  );
}

/** A script as one writes it without a library for the service: axios, its defaults, kept-alive connections. */
export async function plainAxios(stand: Stand) {
  const { default: axios } = await import('axios');
  const { Agent } = await import('node:http');
  return axios.create({
    baseURL: `${stand.baseUrl}/api/v1/data-tables/${stand.tableId}/records`,
    headers: headersOf(stand),
    httpAgent: new Agent({ keepAlive: true }),
    proxy: false,
    validateStatus: () => true,
  });
}

/** Runs `work` for 0 … count - 1, so many at once. */
export async function atOnce(count: number, parallel: number, work: (index: number) => Promise<void>) {
  let next = 0;
  const hand = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: parallel }, hand));
}
