/**
 * What repeating a call does to the service, and so when it may be repeated after an unclear failure:
 * `read` changes nothing, `idempotent` ends in the same state, `once` must never happen twice.
 */
export type Effect = 'read' | 'idempotent' | 'once';
export type Method = 'GET' | 'POST' | 'DELETE';

/** One row of the spec's endpoint tables. `path` holds `{name}` for each path parameter. */
export interface Endpoint {
  method: Method;
  path: string;
  effect: Effect;
}

const EFFECT_OF_METHOD: Record<Method, Effect> = { GET: 'read', POST: 'once', DELETE: 'idempotent' };

const endpointUnder =
  (base: string) =>
  (row: `${Method} /${string}`, effect?: Effect): Endpoint => {
    const [method, path] = row.split(' ', 2) as [Method, string];
    return { method, path: base + path, effect: effect ?? EFFECT_OF_METHOD[method] };
  };

/** Endpoints of version 1.0: records, tables, tasks, webhooks, formulas, status, logs (spec: Versioning). */
export const v1 = endpointUnder('/api/v1');

/** Endpoints of version 1.1: users, pages, imports, exports, PDF. The App ID is part of their path. */
export const v11 = endpointUnder('/api/v1.1/{appId}');

/** `METHOD /path/{param}`: how an endpoint is named in the README, the tests and the service's log. */
export const endpointName = (endpoint: Endpoint) => `${endpoint.method} ${endpoint.path}`;
