/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Operation } from '../nodes/n8n/operation/operation';
import { type Endpoint, formatEndpoint } from '../nodes/service';
import * as service from '../nodes/service';
import { loadActionNodes } from './operations';
import { ENDPOINTS } from './service/endpoints';

const RECORDS = 'POST /api/v1/data-tables/{dataTableId}/records';

/** The endpoints of the specification by name. Plain POST on records is two: it lists or creates. */
export const SPECIFIED_ENDPOINTS: string[] = ENDPOINTS.flatMap((name) =>
  name === RECORDS ? [`${name} list`, `${name} create`] : [name],
);

export interface CatalogueEntry {
  /** As the code names it: `recordEndpoints.list`. */
  at: string;
  /** One of `SPECIFIED_ENDPOINTS`. */
  name: string;
  endpoint: Endpoint;
}

const nameEndpoint = (endpoint: Endpoint): string => {
  const name = formatEndpoint(endpoint);
  return name === RECORDS ? `${name} ${endpoint.effect === 'read' ? 'list' : 'create'}` : name;
};

/** Every endpoint that the catalogue exports. A save is two, with one name: an update may be repeated, a create not. */
export const CATALOGUE: CatalogueEntry[] = Object.entries(service)
  .filter(([group]) => group.endsWith('Endpoints'))
  .flatMap(([group, values]) =>
    Object.entries<Endpoint | object>(values as Record<string, Endpoint | object>).flatMap(
      ([key, endpoint]) =>
        'effect' in endpoint ? [{ at: `${group}.${key}`, name: nameEndpoint(endpoint), endpoint }] : [],
    ),
  );

/** What each operation called in the contract test, by `<folder of the node> <resource> <operation>`. */
export type Calls = Record<string, string[]>;

export const CALLS_FILE = join(__dirname, 'calledEndpoints.json');

export const formatCalls = (calls: Calls): string => `${JSON.stringify(calls, null, 2)}\n`;

const ADVICE = 'Run `npm run docs`: it records what each operation calls.';

/**
 * The endpoints that each operation calls, as `npm run docs` recorded them.
 * @throws Error for an operation that is not recorded
 */
export function readCalledEndpoints(): Map<Operation, Endpoint[]> {
  const calls = JSON.parse(readFileSync(CALLS_FILE, 'utf8')) as Calls;
  const findEndpoint = (name: string): Endpoint => {
    const entry = CATALOGUE.find((one) => one.name === name);
    if (!entry) throw new Error(`The catalogue has no "${name}". ${ADVICE}`);
    return entry.endpoint;
  };
  return new Map(
    loadActionNodes().flatMap(({ folder, resources }) =>
      resources.flatMap((resource) =>
        resource.operations.map((operation): [Operation, Endpoint[]] => {
          const names = calls[`${folder} ${resource.name} ${operation.name}`];
          if (!names) throw new Error(`No calls of ${folder} ${resource.name} ${operation.name}. ${ADVICE}`);
          return [operation, names.map(findEndpoint)];
        }),
      ),
    ),
  );
}
