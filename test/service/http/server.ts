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

  for (const [address, patterns] of groupByAddress()) {
    const [method = '', url = ''] = address.split(' ');
    server.route({
      method,
      url: url.replace(/\{(\w+)\}/g, ':$1'),
      handler: (request, reply) => {
        const pattern = patterns.find((candidate) => matchesQuery(candidate, request)) as Endpoint;
        return dispatch(dispatcher, request, reply, { pattern, route: routes[pattern] });
      },
    });
  }
  return server;
}

/** Endpoints by address. `?_zmode=search` shares the address of another endpoint and comes before it. */
function groupByAddress(): Map<string, Endpoint[]> {
  const addresses = new Map<string, Endpoint[]>();
  for (const endpoint of ENDPOINTS) {
    const address = endpoint.split('?')[0] as string;
    addresses.set(address, [endpoint, ...(addresses.get(address) ?? [])]);
  }
  return addresses;
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
