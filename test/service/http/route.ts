import { z } from 'zod';
import type { Payload } from '../data/payload';
import type { Endpoint } from '../endpoints';
import type { Access } from '../state/access';
import type { ApiKey, Permission } from '../state/keys';
import type { Body } from './body';
import { invalid } from './errors';
import type { RecordedRequest } from './recorder';

/** One admitted request, with what its route declared already checked. */
export interface Call<Query = unknown, Json = unknown> extends Access {
  params: Record<string, string>;
  query: Query;
  /** The JSON body of a route with a closed list of keys. */
  json: Json;
  /** The body of a route that takes record values. */
  payload: Payload;
  body: Body;
  /** Absent on a public page visited without key headers. */
  key?: ApiKey;
  /** The Bearer token as sent, checked or not. */
  token?: string;
  recorded: RecordedRequest;
  header(name: string): string | undefined;
}

export interface Route {
  permission?: Permission;
  query: z.ZodRawShape;
  /** A closed JSON body; `open` bodies hold record values and are read by the handler. */
  json?: z.ZodRawShape;
  open?: 'json' | 'form' | 'either';
  /** `own`: the handler judges the token; `none`: the spec sends none here. */
  bearer?: 'own' | 'none';
  formulaHeaders?: boolean;
  /** Whether a request without any key header is let in (spec: Component rules, 3). */
  isPublic?(app: Access['app'], params: Record<string, string>): boolean;
  handle(call: Call<never, never>): unknown;
}

export type Routes = Partial<Record<Endpoint, Route>>;

type Infer<Shape extends z.ZodRawShape> = z.infer<z.ZodObject<Shape>>;

/** Declares a route: what the spec documents for it, and what it does. */
export function route<
  Q extends z.ZodRawShape = Record<never, never>,
  J extends z.ZodRawShape = Record<never, never>,
>(
  definition: Omit<Route, 'query' | 'json' | 'handle'> & {
    query?: Q;
    json?: J;
    handle(call: Call<Infer<Q>, Infer<J>>): unknown;
  },
): Route {
  return { ...definition, query: definition.query ?? {} } as Route;
}

/** Marks an answer that is no JSON, such as a PDF. */
export class BinaryAnswer {
  constructor(
    readonly contentType: string,
    readonly filename: string,
    readonly bytes: Buffer,
  ) {}
}

/** Mistakes a person makes in a form; any other mismatch is the client's. */
const ORDINARY = new Set<z.ZodIssueCode>(['invalid_string', 'custom']);

/** Checks keys and types: an unknown key is noted and ignored, a wrong value answers 422. */
export function parse<S extends z.ZodRawShape>(
  shape: S,
  value: Record<string, unknown>,
  where: 'query' | 'body',
  report: Access['report'],
): Infer<S> {
  for (const key of Object.keys(value)) if (!(key in shape)) report(`undocumented ${where} key "${key}"`);
  const result = z.object(shape).safeParse(value);
  if (result.success) return result.data;
  const errors: Record<string, string[]> = {};
  for (const issue of result.error.issues) {
    const key = issue.path.join('.');
    const isMissing = !((issue.path[0] ?? '') in value);
    if (!isMissing && !ORDINARY.has(issue.code)) report(`${where} key "${key}": ${issue.message}`);
    errors[key] = [isMissing ? 'This field is required' : issue.message];
  }
  throw invalid(errors);
}
