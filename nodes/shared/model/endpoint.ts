/**
 * What repeating a call does to the service, and so when it may be repeated after an unclear failure:
 * `read` changes nothing, `idempotent` ends in the same state, `lasting` does too but may still be going on when
 * nobody waits for its answer any more, `once` must never happen twice.
 */
export type Effect = 'read' | 'idempotent' | 'lasting' | 'once';
export type Method = 'GET' | 'POST' | 'DELETE';

/** One row of the spec's endpoint tables. `path` holds `{name}` for each path parameter. */
export interface Endpoint {
  method: Method;
  path: string;
  effect: Effect;
  /** The spec shows no answer: an empty one is whole. Of any other, an empty one broke off. */
  mayBeEmpty?: boolean;
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

/** For an endpoint whose answer the spec does not show, and that tells nothing one would need. */
export const unanswered = (endpoint: Endpoint): Endpoint => ({ ...endpoint, mayBeEmpty: true });

/** `METHOD /path/{param}`: how an endpoint is named in the README, the tests and the service's log. */
export const endpointName = (endpoint: Endpoint) => `${endpoint.method} ${endpoint.path}`;
