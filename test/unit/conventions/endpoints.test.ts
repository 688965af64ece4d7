/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { uniq, uniqWith } from 'lodash';
import { formatEndpoint } from '../../../nodes/service';
import { CATALOGUE, readCalledEndpoints, SPECIFIED_ENDPOINTS } from '../../calledEndpoints';

const FOLDER = join('nodes', 'service', 'endpoints');
const listFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name));

test('endpoints are declared in the catalogue only', () => {
  const declaration = /\bdefineV1+\(|\/api\/v1/;
  const outside = [...listFiles('nodes'), ...listFiles('credentials')]
    .filter((file) => !file.startsWith(FOLDER))
    .filter((file) => declaration.test(readFileSync(file, 'utf8')));
  expect(outside).toEqual([]);
});

test('the catalogue and the embedded service have the same endpoints, each declared once', () => {
  const names = uniq(CATALOGUE.map(({ name }) => name));
  expect({
    'missing in test/service/endpoints.ts, which lists the endpoints of the specification': names.filter(
      (name) => !SPECIFIED_ENDPOINTS.includes(name),
    ),
    'missing in nodes/service/endpoints/catalogue.ts': SPECIFIED_ENDPOINTS.filter(
      (name) => !names.includes(name),
    ),
  }).toEqual({
    'missing in test/service/endpoints.ts, which lists the endpoints of the specification': [],
    'missing in nodes/service/endpoints/catalogue.ts': [],
  });
  // A create and an update through a component differ by the answer alone.
  const declared = uniqWith(
    CATALOGUE,
    (one, other) =>
      one.name === other.name &&
      one.endpoint.effect === other.endpoint.effect &&
      one.endpoint.response === other.endpoint.response,
  );
  expect(declared).toHaveLength(CATALOGUE.length);
});

test('each endpoint of the catalogue is called by an operation (add one, then run `npm run docs`)', () => {
  const called = new Set([...readCalledEndpoints().values()].flat().map(formatEndpoint));
  expect(CATALOGUE.filter(({ endpoint }) => !called.has(formatEndpoint(endpoint)))).toEqual([]);
});

test('only answers that the specification does not define have no schema (a new endpoint: give it a `response`, such as createListSchema)', () => {
  const undefinedAnswers = CATALOGUE.filter(({ endpoint }) => !endpoint.response).map(({ at }) => at);
  expect(undefinedAnswers.sort()).toEqual([
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
