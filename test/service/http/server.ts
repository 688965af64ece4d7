import multipart from '@fastify/multipart';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type Endpoint, ENDPOINTS } from '../endpoints';
import { routes } from '../routes';
import { Answers } from './answers';
import { applyFaultAfter } from './applyFault';
import { getKeyHeaderNames } from './authorize';
import { parseQuery } from './brackets';
import { dispatch, type Dispatcher, type Exchange } from './dispatch';
import { ResponseError } from './errors';

declare module 'fastify' {
  interface FastifyRequest {
    exchange: Exchange;
  }
}

const MEGABYTE = 1024 * 1024;

/** The HTTP server of the API; `dispatch` handles each request. */
export function createServer(dispatcher: Dispatcher): FastifyInstance {
  const server = fastify({
    bodyLimit: 200 * MEGABYTE,
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    routerOptions: { querystringParser: parseQuery, maxParamLength: 10_000 },
    frameworkErrors: (error, request, reply) => {
      beginExchange(request, reply, dispatcher);
      request.exchange.recorded.status = 422;
      void answerError(error, request, reply, dispatcher);
    },
  });
  // batch-update-check is a GET with a JSON body (spec: Records).
  server.addHttpMethod('GET', { hasBody: true, overrideExisting: true });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  void server.register(multipart, {
    limits: { fileSize: 200 * MEGABYTE, fieldSize: 10 * MEGABYTE, parts: 10_000 },
  });

  const answers = new Answers(dispatcher.app.options);
  server.decorateRequest('exchange', null as never);
  server.addHook('onRequest', async (request, reply) => beginExchange(request, reply, dispatcher));
  server.addHook('onSend', async (request, reply, payload) =>
    finishExchange(request, reply, payload, dispatcher, answers),
  );
  server.setErrorHandler((error: Error, request, reply) => answerError(error, request, reply, dispatcher));
  server.setNotFoundHandler((request, reply) => dispatch(dispatcher, request, reply, undefined));
  server.options('*', async (_request, reply) => answerPreflight(reply, dispatcher));

  // Not a route for each endpoint: fastify needs longer to add them than the rest of the start takes.
  server.route({
    method: [...addresses.keys()],
    url: '/*',
    handler: (request, reply) => {
      const found = findEndpoint(request);
      if (found) request.params = found.params;
      return dispatch(dispatcher, request, reply, found && { ...found, route: routes[found.pattern] });
    },
  });
  return server;
}

interface Address {
  segments: string[];
  patterns: Endpoint[];
}

const isParameter = (segment: string) => segment.startsWith('{');

/** Addresses by method. A fixed part of a path comes before a parameter. */
const addresses = groupByAddress();

/** Endpoints by address. `?_zmode=search` shares the address of another endpoint and comes before it. */
function groupByAddress(): Map<string, Address[]> {
  const byAddress = new Map<string, Endpoint[]>();
  for (const endpoint of ENDPOINTS) {
    const address = endpoint.split('?')[0] as string;
    byAddress.set(address, [endpoint, ...(byAddress.get(address) ?? [])]);
  }
  const byMethod = new Map<string, Address[]>();
  for (const [address, patterns] of byAddress) {
    const [method = '', path = ''] = address.split(' ');
    byMethod.set(method, [...(byMethod.get(method) ?? []), { segments: path.split('/'), patterns }]);
  }
  for (const list of byMethod.values()) list.sort((one, other) => compareFixed(one.segments, other.segments));
  return byMethod;
}

function compareFixed(one: string[], other: string[]): number {
  const at = one.findIndex((segment, index) => isParameter(segment) !== isParameter(other[index] ?? ''));
  return at < 0 ? 0 : Number(isParameter(one[at]!)) - Number(isParameter(other[at] ?? ''));
}

function findEndpoint(request: FastifyRequest) {
  const given = (request.url.split('?')[0] as string).split('/');
  const found = addresses
    .get(request.method)
    ?.find(
      ({ segments }) =>
        segments.length === given.length &&
        segments.every((segment, at) => (isParameter(segment) ? given[at] !== '' : segment === given[at])),
    );
  if (!found) return undefined;
  const params = Object.fromEntries(
    found.segments.flatMap((segment, at) =>
      isParameter(segment) ? [[segment.slice(1, -1), decodeURIComponent(given[at]!)]] : [],
    ),
  );
  const pattern = found.patterns.find((candidate) => matchesQuery(candidate, request)) as Endpoint;
  return { pattern, params };
}

function matchesQuery(endpoint: Endpoint, request: FastifyRequest): boolean {
  const wanted = Object.entries(parseQuery(endpoint.split('?')[1] ?? ''));
  return wanted.every(([key, value]) => (request.query as Record<string, unknown>)[key] === value);
}

function beginExchange(request: FastifyRequest, reply: FastifyReply, { app, recorder }: Dispatcher): void {
  const { method, url, headers } = request;
  const [path = '', query = ''] = url.split('?');
  const at = app.options.clock.now();
  const { request: recorded, end } = recorder.begin({
    method,
    url,
    path,
    pattern: '',
    query: parseQuery(query),
    headers,
    body: undefined,
    status: 0,
    at,
  });
  // `finish` comes before the client can read the end of the answer, `close` without it.
  reply.raw.once('finish', end).once('close', end);
  request.exchange = { recorded, arrivedAt: performance.now(), limitHeaders: app.anonymous.headers };
}

/** Sets the headers of every response, records the status, and applies latency and late faults. */
async function finishExchange(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  { app }: Dispatcher,
  answers: Answers,
) {
  const { exchange } = request;
  void reply.header('Access-Control-Allow-Origin', '*');
  for (const [name, value] of Object.entries(exchange.limitHeaders)) {
    if (!reply.hasHeader(name)) void reply.header(name, value);
  }
  exchange.recorded.status = reply.statusCode;
  const pending = app.options.latencyMs - (performance.now() - exchange.arrivedAt);
  if (pending > 0) await app.timers.sleep(pending);
  const fault = exchange.fault ?? answers.findFault(exchange.recorded);
  if (!fault) return payload;
  exchange.fault = undefined;
  const spoiled = await applyFaultAfter(fault, request, reply, payload, app);
  if (fault.type === 'status') exchange.recorded.status = reply.statusCode;
  return spoiled;
}

function answerError(
  error: Error,
  request: FastifyRequest,
  reply: FastifyReply,
  { recorder, app }: Dispatcher,
) {
  if (error instanceof ResponseError) {
    const isHidden = app.options.errorStatus === 'ok' && error.status < 429;
    return reply
      .code(isHidden ? 200 : error.status)
      .headers(error.headers)
      .send(error.body);
  }
  const { statusCode = 500 } = error as { statusCode?: number };
  const answer =
    statusCode < 500
      ? new ResponseError(422, 'Validation failed')
      : new ResponseError(500, 'Internal Server Error');
  // A 500 is a bug of this service. It is noted, so that tests that check the violations fail.
  recorder.report(request.exchange.recorded, statusCode < 500 ? error.message : String(error.stack));
  return reply.code(answer.status).send(answer.body);
}

/** CORS (spec: Endpoints, general rule 3). */
function answerPreflight(reply: FastifyReply, { app }: Dispatcher) {
  return reply
    .code(204)
    .header('Access-Control-Allow-Methods', 'POST, GET, OPTIONS, PUT, DELETE')
    .header(
      'Access-Control-Allow-Headers',
      ['Content-Type', 'X-Auth-Token', ...getKeyHeaderNames(app.options.headerPrefix)].join(', '),
    )
    .send();
}
