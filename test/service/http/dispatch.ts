import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Endpoint, ENDPOINTS } from '../endpoints';
import type { Application } from '../state/application';
import { applyFaultBefore, cutConnection, isLateFault } from './applyFault';
import { authenticateKey, authorize, readBearerToken } from './authorize';
import { asPayload, type Body, isObject, readBody } from './body';
import { keepDefinedBrackets } from './brackets';
import { createValidationError, ResponseError } from './errors';
import type { Fault, Faults } from './faults';
import type { RecordedRequest, Recorder } from './recorder';
import { BinaryResponse, type Call, parseShape, type Route } from './route';

/** An address with another method is refused with 405, as clients that sent a PUT met it. */
const ENDPOINT_PATHS = ENDPOINTS.map((endpoint) => {
  const path = endpoint.replace(/^\S+ |\?.*$/g, '');
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`);
});

/** State of a request until its answer is sent. */
export interface Exchange {
  recorded: RecordedRequest;
  /** `performance.now()`, ms. The latency includes the work. */
  arrivedAt: number;
  limitHeaders: Record<string, string>;
  /** A fault to apply when the answer is sent. */
  fault?: Fault;
}

export interface Dispatcher {
  app: Application;
  recorder: Recorder;
  faults: Faults;
}

/** Handles one request: body, key, limits, faults, permission, token, keys and types, handler. */
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
  recorded.body = getRecordedBody(body);
  app.jobs.advance();

  const params = request.params as Record<string, string>;
  const key = authenticateKey(headers, params, found?.route, app, report);
  const limits = key?.limits ?? app.anonymous;
  const exceeded = limits.take();
  exchange.limitHeaders = limits.headers;
  if (exceeded) throw createRateLimitError(exceeded, app, limits.headers);

  exchange.fault = faults.takeNext(recorded);
  if (exchange.fault?.type === 'hold') {
    if (exchange.fault.cut) cutConnection(request);
    await exchange.fault.until;
  }
  if (exchange.fault && exchange.fault.type !== 'hold' && !isLateFault(exchange.fault))
    return applyFaultBefore(exchange.fault, request, reply, app);

  if (!found) {
    report('undocumented endpoint');
    const isOther = ENDPOINT_PATHS.some((path) => path.test(recorded.path));
    throw isOther ? new ResponseError(405, 'Method Not Allowed') : new ResponseError(404, 'Not Found');
  }
  const { route, pattern } = found;
  authorize(key, route, pattern, app);
  const token = readBearerToken(headers, route, app.options.headerPrefix, report);
  checkContentType(body, route, recorded.method, report);
  const call: Call = {
    app,
    key,
    token,
    report,
    params,
    body,
    recorded,
    user: token !== undefined && route.bearer === undefined ? app.users.authenticate(token) : undefined,
    query: parseShape(route.query, keepDefinedBrackets(recorded.query, report), 'query', report),
    json: route.json && parseShape(route.json, asJsonObject(body), 'body', report),
    payload: asPayload(body),
    getHeader: (name) => headers[name.toLowerCase()] as string | undefined,
  };
  const answer = await route.handle(call as Call<never, never>);
  if (!(answer instanceof BinaryResponse)) return answer;
  void reply
    .header('content-disposition', `attachment; filename="${answer.filename}"`)
    .type(answer.contentType);
  return answer.bytes;
}

function getRecordedBody(body: Body): unknown {
  if (body.kind === 'json') return body.value;
  return body.kind === 'form' ? body.parts : undefined;
}

function asJsonObject(body: Body): Record<string, unknown> {
  return body.kind === 'json' && isObject(body.value) ? body.value : {};
}

/** Bodies are JSON unless stated; create and update also take a form (spec: Endpoints). */
function checkContentType(
  body: Body,
  { json, open }: Route,
  method: string,
  report: (message: string) => void,
): void {
  const allowed = { json: ['json'], form: ['form'], either: ['json', 'form'] }[open ?? 'json'];
  const expected = json || open ? allowed : [];
  // A POST without values may send `{}`; a GET or DELETE without a documented body sends none.
  const isEmptyObject = body.kind === 'json' && JSON.stringify(body.value) === '{}';
  if (body.kind === 'none' || (isEmptyObject && method === 'POST')) return;
  if (expected.includes(body.kind)) {
    if (body.kind === 'json' && !isObject(body.value))
      throw reportInvalidBody('a JSON body that is not an object', report);
    return;
  }
  if (expected.length === 0) return report('a body on an endpoint that takes none');
  throw reportInvalidBody(`a body of the wrong content type (${body.kind})`, report);
}

function reportInvalidBody(message: string, report: (message: string) => void): ResponseError {
  report(message);
  return createValidationError({ body: ['Invalid body'] });
}

/** 429 with the wait of the exceeded limit (spec: Errors, other rule 3; open for the daily limit). */
export function createRateLimitError(
  scope: 'minute' | 'day',
  app: Application,
  headers: Record<string, string>,
): ResponseError {
  const waitsForDay = scope === 'day' && app.options.dayRetryAfter === 'day';
  return new ResponseError(429, `Too Many Attempts In ${scope === 'day' ? 'Day' : 'Minute'}`, undefined, {
    ...(waitsForDay && { 'X-Retry-After': headers['X-Daily-Retry-After'] }),
  });
}
