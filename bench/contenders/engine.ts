/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { chainNodes, createNode, type Engine, type Run, startEngine } from '../../test/harness';
import { coreNodes } from '../../test/harness/coreNodes';
import type { BenchTarget } from '../remote';

/** Starts n8n's engine with the built package and n8n's HTTP Request node. */
export async function openEngine(): Promise<Engine> {
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const { HttpRequest } = require('n8n-nodes-base/dist/nodes/HttpRequest/HttpRequest.node.js') as {
    HttpRequest: new () => never;
  };
  coreNodes.httpRequest = new HttpRequest();
  return startEngine();
}

/** A workflow with one node after a trigger that returns `input`. */
export async function runNode(
  engine: Engine,
  type: string,
  parameters: object,
  input: object[] = [{}],
  extra: object = {},
): Promise<Run> {
  const workflow = chainNodes(
    createNode('Start', 'n8n-nodes-base.manualTrigger'),
    createNode('Node', type, parameters, { onError: 'continueRegularOutput', ...extra }),
  );
  const run = await engine.run(workflow, { input: input.map((json) => ({ json: json as never })) });
  if (run.error) throw run.error;
  return run;
}

const createHeaders = ({ keys }: BenchTarget) => ({
  'X-Service-App-id': keys.appId,
  'X-Service-App-Key': keys.appKey,
  'X-Service-App-Secret': keys.appSecret,
});

const CREDENTIAL = 'recordDatabaseApi';

/** Both nodes use the same stored credential. */
const storeKeys = (engine: Engine, { baseUrl, keys }: BenchTarget) =>
  engine.setCredential(CREDENTIAL, { baseUrl, ...keys, advancedSettings: true });

/** Our node, by resource and operation. */
export async function runOwnNode(
  engine: Engine,
  stand: BenchTarget,
  parameters: object,
  input?: object[],
): Promise<Run> {
  await storeKeys(engine, stand);
  const dataTableId = { __rl: true, mode: 'id', value: stand.tableId };
  return runNode(
    engine,
    'n8n-nodes-record-database.recordDatabase',
    { resource: 'record', dataTableId, ...parameters },
    input,
  );
}

/** Publishes a workflow of our trigger that reads each new record of the table of events before it starts. */
export async function listenToEvents(engine: Engine, stand: BenchTarget) {
  await storeKeys(engine, stand);
  const parameters = { tables: [stand.eventTableId], events: ['INSERT'], options: { fullRecord: true } };
  const trigger = createNode('Trigger', 'n8n-nodes-record-database.recordDatabaseTrigger', parameters, {
    webhookId: 'bench',
  });
  return engine.activate(chainNodes(trigger));
}

/** Opens the dropdown of tables in the editor. @returns the number of its tables */
export async function openTableList(engine: Engine): Promise<number> {
  const form = createNode('Node', 'n8n-nodes-record-database.recordDatabase', { resource: 'record' });
  return (await engine.listSearch(form, 'searchTables')).results.length;
}

/** Our import of all items, with the import template of the table. */
export async function runOwnImport(engine: Engine, stand: BenchTarget, input: object[]): Promise<Run> {
  await storeKeys(engine, stand);
  const importId = { __rl: true, mode: 'id', value: stand.importId };
  const parameters = { resource: 'import', operation: 'runItems', importId };
  return runNode(engine, 'n8n-nodes-record-database.recordDatabaseImportExport', parameters, input);
}

const PAGINATION = {
  paginationMode: 'updateAParameterInEachRequest',
  parameters: { parameters: [{ type: 'qs', name: 'page', value: '={{ $pageCount + 1 }}' }] },
  paginationCompleteWhen: 'other',
  completeExpression: '={{ $response.body.current_page >= $response.body.total_pages }}',
};

/** Parameters with which the HTTP Request node reads all records, one item for each page. */
export const READ_ALL_PAGES = {
  sendQuery: true,
  queryParameters: { parameters: [{ name: 'limit', value: '200' }] },
  options: { pagination: { pagination: PAGINATION } },
};

/** Parameters with which the HTTP Request node finds the record with the key of each item. */
export const FIND_BY_KEY = {
  method: 'POST',
  sendBody: true,
  specifyBody: 'json',
  jsonBody:
    '={{ JSON.stringify({ filters: { condition: "AND", items: [{ field_id: "key", operator: "is exact", val: $json.key }], child: [] }, page: 1, limit: 1 }) }}',
};

/** Parameters with which the HTTP Request node writes these values of each item. */
export const createWriteParameters = (...names: string[]) => ({
  method: 'POST',
  sendBody: true,
  bodyParameters: { parameters: names.map((name) => ({ name, value: `={{ $json.${name} }}` })) },
});

/** The mapper of our node: key and city of each item. @param matchingColumns columns that identify a record */
export const createKeyAndCityColumns = (...matchingColumns: string[]) => ({
  mappingMode: 'defineBelow',
  value: { key: '={{ $json.key }}', city: '={{ $json.city }}' },
  matchingColumns,
});

/** n8n's HTTP Request node on the records of the table. */
export async function runHttpRequestNode(
  engine: Engine,
  stand: BenchTarget,
  parameters: object,
  input?: object[],
): Promise<Run> {
  const credential = await storeKeys(engine, stand);
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

/** A script without a library for the service: axios with its defaults and keep-alive connections. */
export async function createAxiosClient(stand: BenchTarget) {
  const { default: axios } = await import('axios');
  const { Agent } = await import('node:http');
  return axios.create({
    baseURL: `${stand.baseUrl}/api/v1/data-tables/${stand.tableId}/records`,
    headers: createHeaders(stand),
    httpAgent: new Agent({ keepAlive: true }),
    proxy: false,
    validateStatus: () => true,
  });
}

/** Runs `work` for 0 … count - 1 with the given concurrency. */
export async function runInParallel(count: number, parallel: number, work: (index: number) => Promise<void>) {
  let next = 0;
  const runWorker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: parallel }, runWorker));
}
