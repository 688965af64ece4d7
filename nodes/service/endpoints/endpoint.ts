/** The types of an endpoint, and the functions that declare one. */
import type { z } from 'zod';

/**
 * What a repeated call changes, which decides whether a call is repeated after an unclear failure:
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
  /** Key in the response of `GET /status`. */
  flag: string;
  /** What the permission allows, for the texts of errors. */
  controls: string;
  /** A permission that is also needed, and that `GET /status` does not show. */
  alsoNeeded?: string;
}

interface ResponseSchema<Body> {
  safeParse(body: unknown): z.SafeParseReturnType<unknown, Body>;
}

/** `Body` is the type of a successful response. `Path` contains the names of the parameters. */
export interface Endpoint<Body = unknown, Path extends string = string> {
  method: HttpMethod;
  /** The path, with `{name}` for each parameter. */
  path: Path;
  effect: Effect;
  /** Undefined if the spec does not define the response. See silences.md: `changeResponses`. */
  response?: ResponseSchema<Body>;
  /**
   * Whether the response to a change must have `type` or `status` "success" (spec: Key facts, 5). By default,
   * any response that is not empty is enough, because the spec does not define every response. See silences.md:
   * `changeResponses`.
   */
  mustSaySuccess?: true;
  /** An empty `item` in the response means that the record does not exist. */
  isAboutRecord?: true;
  /**
   * The status of a call whose earlier attempt succeeded: 404 for a deleted record, 401 for a token that was
   * logged out. After an attempt whose response was lost, this status counts as success.
   */
  alreadyDoneStatus?: 401 | 404;
  permission?: Permission;
  /** What a 404 is about, if no path parameter shows it: "webhook subscription". */
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
 * The names of the parameters in a path: `'pageId' | 'componentId'`. The client adds the App ID. For the type `string`,
 * any name is accepted.
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

/** Version 1.0: records, tables, tasks, webhooks, formulas, status, logs (spec: Versioning). */
export const defineV1 = createEndpointDefiner('/api/v1');

/** Version 1.1: users, pages, imports, exports, PDF. The App ID is part of the path. */
export const defineV11 = createEndpointDefiner('/api/v1.1/{appId}');

/** Returns `METHOD /path/{param}`, as the README and the tests name an endpoint. */
export const formatEndpoint = ({ method, path }: Endpoint) => `${method} ${path}`;
