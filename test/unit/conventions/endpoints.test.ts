/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Endpoint, formatEndpoint } from '../../../nodes/client/endpoints/endpoint';
import { listOperations } from '../../operations';
import { ENDPOINTS } from '../../service/endpoints';

const CATALOGUE = join('nodes', 'client', 'endpoints');
const RECORDS = 'POST /api/v1/data-tables/{dataTableId}/records';

const listFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name));

const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === 'object' && value !== null && 'method' in value && 'effect' in value;

/** Every endpoint that the catalogue exports, with its name there. */
const catalogue = readdirSync(CATALOGUE).flatMap((file) => {
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const exported = require(join(process.cwd(), CATALOGUE, file)) as Record<string, object>;
  return Object.entries(exported).flatMap(([group, endpoints]) =>
    Object.entries(endpoints)
      .filter(([, endpoint]) => isEndpoint(endpoint))
      .map(([name, endpoint]) => ({ name: `${group}.${name}`, endpoint: endpoint as Endpoint })),
  );
});

test('endpoints are declared in the catalogue only', () => {
  const declaration = /\bdefineV1+\(|\/api\/v1/;
  const outside = [...listFiles('nodes'), ...listFiles('credentials')]
    .filter((file) => !file.startsWith(CATALOGUE))
    .filter((file) => declaration.test(readFileSync(file, 'utf8')));
  expect(outside).toEqual([]);
});

test('each endpoint of the specification is declared once; plain POST on records lists and creates', () => {
  const source = listFiles(CATALOGUE)
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
  const declared = [...source.matchAll(/\bdefineV1(1?)\(\s*'(\w+) ([^']+)'/g)].map(
    ([, isV11, method, path]) => `${method} ${isV11 ? '/api/v1.1/{appId}' : '/api/v1'}${path}`,
  );
  expect(declared.sort()).toEqual([...ENDPOINTS, RECORDS].sort());
  expect(declared).toHaveLength(79);
});

test('an operation lists entries of the catalogue, and each entry is used by an operation', () => {
  const entries = new Set(catalogue.map(({ endpoint }) => endpoint));
  const used = new Set(listOperations().flatMap(({ endpoints }) => endpoints));
  const strays = [...used].filter((endpoint) => !entries.has(endpoint));
  const unused = catalogue.filter(({ endpoint }) => !used.has(endpoint));
  expect(strays.map(formatEndpoint)).toEqual([]);
  expect(unused.map(({ name }) => name)).toEqual([]);
});

test('an operation lists each endpoint once', () => {
  const repeated = listOperations().filter(({ endpoints }) => new Set(endpoints).size < endpoints.length);
  expect(repeated.map(({ action }) => action)).toEqual([]);
});

test('only answers that the specification does not define have no schema', () => {
  const undefinedAnswers = catalogue.filter(({ endpoint }) => !endpoint.response).map(({ name }) => name);
  expect(undefinedAnswers.sort()).toEqual([
    'authEndpoints.logout',
    'automationEndpoints.getExecution',
    'automationEndpoints.run',
    'automationEndpoints.terminateAll',
    'automationEndpoints.terminateExecution',
    'exportEndpoints.trigger',
    'formulaEndpoints.forceById',
    'formulaEndpoints.forceBySlug',
    'formulaEndpoints.updateAll',
    'formulaEndpoints.updateById',
    'formulaEndpoints.updateBySlug',
    'formulaEndpoints.updateTable',
    'importEndpoints.trigger',
    'pdfFormEndpoints.create',
    'pdfPageEndpoints.create',
    'taskEndpoints.getExecution',
    'taskEndpoints.terminateAll',
    'taskEndpoints.terminateExecution',
    'webhookEndpoints.unsubscribe',
  ]);
});
