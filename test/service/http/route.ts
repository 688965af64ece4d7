import { z } from 'zod';
import type { Payload } from '../data/payload';
import type { Endpoint } from '../endpoints';
import type { Access } from '../state/access';
import type { ApiKey, Permission } from '../state/keys';
import type { Body } from './body';
import { createValidationError } from './errors';
import type { RecordedRequest } from './recorder';

/** A request that passed the checks which its route declares. */
export interface Call<Query = unknown, Json = unknown> extends Access {
  params: Record<string, string>;
  query: Query;
  /** The JSON body of a route with a closed list of keys. */
  json: Json;
  /** The body of a route that takes record values. */
  payload: Payload;
  body: Body;
  /** Absent for a public page that is read without key headers. */
  key?: ApiKey;
  /** The Bearer token as sent; it may be invalid. */
  token?: string;
  recorded: RecordedRequest;
  getHeader(name: string): string | undefined;
}

export interface Route {
  permission?: Permission;
  query: z.ZodRawShape;
  /** A closed JSON body; `open` bodies hold record values and are read by the handler. */
  json?: z.ZodRawShape;
  open?: 'json' | 'form' | 'either';
  /** `own`: the handler checks the token. `none`: the spec sends none here. */
  bearer?: 'own' | 'none';
  formulaHeaders?: boolean;
  /** Whether a request without key headers is allowed (spec: Component rules, 3). */
  isPublic?(app: Access['app'], params: Record<string, string>): boolean;
  handle(call: Call<never, never>): unknown;
}

export type Routes = Partial<Record<Endpoint, Route>>;

type InferShape<Shape extends z.ZodRawShape> = z.infer<z.ZodObject<Shape>>;

/** Declares a route: its documented keys, and its handler. */
export function defineRoute<
  Q extends z.ZodRawShape = Record<never, never>,
  J extends z.ZodRawShape = Record<never, never>,
>(
  definition: Omit<Route, 'query' | 'json' | 'handle'> & {
    query?: Q;
    json?: J;
    handle(call: Call<InferShape<Q>, InferShape<J>>): unknown;
  },
): Route {
  return { ...definition, query: definition.query ?? {} } as Route;
}

/** An answer that is not JSON, such as a PDF. */
export class BinaryResponse {
  constructor(
    readonly contentType: string,
    readonly filename: string,
    readonly bytes: Buffer,
  ) {}
}

/** Mistakes in a value that a person entered; other mismatches are violations of the client. */
const USER_MISTAKES = new Set<z.ZodIssueCode>(['invalid_string', 'custom']);

/** Checks keys and types. An unknown key is noted and ignored. @throws ResponseError 422 for a wrong value */
export function parseShape<S extends z.ZodRawShape>(
  shape: S,
  value: Record<string, unknown>,
  where: 'query' | 'body',
  report: Access['report'],
): InferShape<S> {
  for (const key of Object.keys(value))
    if (!Object.hasOwn(shape, key)) report(`undocumented ${where} key "${key}"`);
  const result = z.object(shape).safeParse(value);
  if (result.success) return result.data;
  const errors = new Map<string, string[]>();
  for (const issue of result.error.issues) {
    const key = issue.path.join('.');
    const isMissing = !Object.hasOwn(value, issue.path[0] ?? '');
    if (!isMissing && !USER_MISTAKES.has(issue.code)) report(`${where} key "${key}": ${issue.message}`);
    errors.set(key, [isMissing ? 'This field is required' : issue.message]);
  }
  throw createValidationError(Object.fromEntries(errors));
}
