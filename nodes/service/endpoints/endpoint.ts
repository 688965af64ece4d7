/** The types of an endpoint, and the functions that declare one. */
import type { z } from 'zod';

/**
 * What a repeated call changes. This decides whether a call is repeated after an unclear failure:
 * - `read`: changes nothing.
 * - `idempotent`: leads to the same state again.
 * - `longRunning`: idempotent, but may still run in the service after the client stopped waiting.
 * - `nonIdempotent`: must not run twice.
 */
export type Effect = 'read' | 'idempotent' | 'longRunning' | 'nonIdempotent';
type HttpMethod = 'GET' | 'POST' | 'DELETE';

/** A permission of an API key (spec: API key permissions). */
export interface Permission {
  name: string;
  /** Key of the permission in the response of `GET /status`. */
  flag: string;
  /** What the permission allows, for the texts of errors. */
  controls: string;
  /** A second permission that is needed, and that `GET /status` does not show. */
  alsoNeeded?: string;
}

/** A zod schema that checks and types the body of a successful response. */
interface ResponseSchema<Body> {
  safeParse(body: unknown): z.SafeParseReturnType<unknown, Body>;
}

/**
 * One endpoint of the spec. `Body` is the type of a successful response. `Path` is the type of the path, with the names
 * of its parameters.
 */
export interface Endpoint<Body = unknown, Path extends string = string> {
  method: HttpMethod;
  /** The path, with `{name}` for each parameter. */
  path: Path;
  effect: Effect;
  /** Undefined if the spec does not define the response. Open point: `changeResponses`. */
  response?: ResponseSchema<Body>;
  /**
   * Whether the response to a change must contain `type` or `status` "success" (spec: Key facts, 5). By default, it must
   * only have some content, because the spec does not define every response. Open point: `changeResponses`.
   */
  mustSaySuccess?: true;
  /** The endpoint is about one record. An empty `item` in its response then means that there is no such record. */
  isAboutRecord?: true;
  /**
   * The status that the service answers if the same call has already succeeded: 404 for a deleted record, 401 for a
   * token that was logged out. After an attempt whose response was lost, this status counts as success.
   */
  alreadyDoneStatus?: 401 | 404;
  /** Undefined if the endpoint needs no permission. */
  permission?: Permission;
  /** What the service did not find if it answers 404: "webhook subscription". Needed if no path parameter shows it. */
  subject?: string;
}

type EndpointDetails<Schema> = Partial<Omit<Endpoint, 'method' | 'path' | 'response'>> & {
  response?: Schema;
};

const DEFAULT_EFFECTS: Record<HttpMethod, Effect> = {
  GET: 'read',
  POST: 'nonIdempotent',
  DELETE: 'idempotent',
};

/**
 * The names of the parameters in a path, such as `'pageId' | 'componentId'`. The App ID is left out, because the client
 * adds it. If the type of the path is `string`, any name is accepted.
 */
export type PathParameterName<Path extends string> = string extends Path
  ? string
  : Path extends `${string}{${infer Name}}${infer Rest}`
    ? Exclude<Name, 'appId'> | PathParameterName<Rest>
    : never;

const createEndpointDefiner =
  <Base extends string>(base: Base) =>
  <Path extends `/${string}`, Schema extends z.ZodTypeAny = z.ZodUnknown>(
    methodAndPath: `${HttpMethod} ${Path}`,
    details: EndpointDetails<Schema> = {},
  ): Endpoint<z.output<Schema>, `${Base}${Path}`> => {
    const [method, path] = methodAndPath.split(' ', 2) as [HttpMethod, Path];
    return { effect: DEFAULT_EFFECTS[method], ...details, method, path: `${base}${path}` };
  };

/** Defines an endpoint of version 1.0: records, tables, tasks, webhooks, formulas, status, logs (spec: Versioning). */
export const defineV1 = createEndpointDefiner('/api/v1');

/** Defines an endpoint of version 1.1: users, pages, imports, exports, PDF. The App ID is part of its path. */
export const defineV11 = createEndpointDefiner('/api/v1.1/{appId}');

/** Formats an endpoint as `METHOD /path/{param}`, as the README and the tests name it. */
export const formatEndpoint = ({ method, path }: Endpoint) => `${method} ${path}`;
