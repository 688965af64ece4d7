import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Endpoint } from '../endpoints';
import type { Application } from '../state/application';
import { asPayload, isObject, readBody, type Body } from './body';
import { ApiError, invalid } from './errors';
import type { Fault, Faults } from './faults';
import { authorize, bearerToken, identify } from './gate';
import type { RecordedRequest, Recorder } from './recorder';
import { BinaryAnswer, parse, type Call, type Route } from './route';
import { isLate, strikeBefore } from './strike';

/** What travels with a request from its first byte to its answer. */
export interface Exchange {
  recorded: RecordedRequest;
  /** Of the process, ms: what the work itself took counts towards the latency. */
  arrivedAt: number;
  limitHeaders: Record<string, string>;
  /** A fault to strike when the answer goes out. */
  fault?: Fault;
}

export interface Dispatcher {
  app: Application;
  recorder: Recorder;
  faults: Faults;
}

/** One request through every check, in the order a service would make them. */
export async function dispatch(
  { app, recorder, faults }: Dispatcher,
  request: FastifyRequest,
  reply: FastifyReply,
  found: { pattern: Endpoint; route: Route } | undefined,
): Promise<unknown> {
  const { exchange, headers } = request;
  const { recorded } = exchange;
  const report = (message: string) => recorder.report(recorded, message);
  recorded.pattern = found?.pattern ?? '';
  const body = await readBody(request).catch((error: unknown) => {
    report('a body that cannot be read');
    throw error;
  });
  recorded.body = shown(body);
  app.jobs.advance();

  const params = request.params as Record<string, string>;
  const key = identify(headers, params, found?.route, app, report);
  const limits = key?.limits ?? app.anonymous;
  const exceeded = limits.take();
  exchange.limitHeaders = limits.headers;
  if (exceeded) throw tooMany(exceeded, app, limits.headers);

  exchange.fault = faults.next(recorded);
  if (exchange.fault && !isLate(exchange.fault)) return strikeBefore(exchange.fault, request, reply, app);

  if (!found) {
    report('undocumented endpoint');
    throw new ApiError(404, 'Not Found');
  }
  const { route, pattern } = found;
  authorize(key, route, pattern, app);
  const token = bearerToken(headers, route, app.options.headerPrefix, report);
  checkContentType(body, route, report);
  const call: Call = {
    app,
    key,
    token,
    report,
    params,
    body,
    recorded,
    user: token !== undefined && route.bearer === undefined ? app.users.authenticate(token) : undefined,
    query: parse(route.query, recorded.query, 'query', report),
    json: route.json && parse(route.json, jsonObject(body), 'body', report),
    payload: asPayload(body),
    header: (name) => headers[name.toLowerCase()] as string | undefined,
  };
  const answer = await route.handle(call as Call<never, never>);
  if (!(answer instanceof BinaryAnswer)) return answer;
  void reply
    .header('content-disposition', `attachment; filename="${answer.filename}"`)
    .type(answer.contentType);
  return answer.bytes;
}

function shown(body: Body): unknown {
  if (body.kind === 'json') return body.value;
  return body.kind === 'form' ? body.parts : undefined;
}

function jsonObject(body: Body): Record<string, unknown> {
  return body.kind === 'json' && isObject(body.value) ? body.value : {};
}

/** Bodies are JSON unless stated; create and update also take a form (spec: Endpoints). */
function checkContentType(body: Body, { json, open }: Route, report: (message: string) => void): void {
  const allowed = { json: ['json'], form: ['form'], either: ['json', 'form'] }[open ?? 'json'];
  const expected = json || open ? allowed : [];
  const isEmpty = body.kind === 'none' || (body.kind === 'json' && JSON.stringify(body.value) === '{}');
  if (isEmpty || expected.includes(body.kind)) {
    if (body.kind === 'json' && !isObject(body.value)) throw refuse('a JSON body that is no object', report);
    return;
  }
  if (expected.length === 0) return report('a body on an endpoint that takes none');
  throw refuse(`a body of the wrong content type (${body.kind})`, report);
}

function refuse(message: string, report: (message: string) => void): ApiError {
  report(message);
  return invalid({ body: ['Invalid body'] });
}

/** 429 with the wait of the limit that was hit (spec: Errors, other rule 3; a daily one is left open). */
export function tooMany(
  scope: 'minute' | 'day',
  app: Application,
  headers: Record<string, string>,
): ApiError {
  const waitsForDay = scope === 'day' && app.options.dayRetryAfter === 'day';
  return new ApiError(429, `Too Many Attempts In ${scope === 'day' ? 'Day' : 'Minute'}`, undefined, {
    ...(waitsForDay && { 'X-Retry-After': headers['X-Daily-Retry-After'] }),
  });
}
