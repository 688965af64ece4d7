import multipart from '@fastify/multipart';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { ENDPOINTS, type Endpoint } from '../endpoints';
import { routes } from '../routes';
import { parseQuery } from './brackets';
import { dispatch, type Dispatcher, type Exchange } from './dispatch';
import { ApiError } from './errors';
import { keyHeaders } from './gate';
import { strikeAfter } from './strike';

declare module 'fastify' {
  interface FastifyRequest {
    exchange: Exchange;
  }
}

const MEGABYTE = 1024 * 1024;

/** The API's listener: Fastify carries the bytes, `dispatch` decides what they mean. */
export function createServer(dispatcher: Dispatcher): FastifyInstance {
  const server = fastify({
    bodyLimit: 200 * MEGABYTE,
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    routerOptions: { querystringParser: parseQuery, maxParamLength: 10_000 },
    frameworkErrors: (error, request, reply) => {
      begin(request, dispatcher);
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

  server.decorateRequest('exchange', null as never);
  server.addHook('onRequest', async (request) => begin(request, dispatcher));
  server.addHook('onSend', async (request, reply, payload) => finish(request, reply, payload, dispatcher));
  server.setErrorHandler((error: Error, request, reply) => answerError(error, request, reply, dispatcher));
  server.setNotFoundHandler((request, reply) => dispatch(dispatcher, request, reply, undefined));
  server.options('*', async (_request, reply) => preflight(reply, dispatcher));

  for (const [address, patterns] of byAddress()) {
    const [method = '', url = ''] = address.split(' ');
    server.route({
      method,
      url: url.replace(/\{(\w+)\}/g, ':$1'),
      handler: (request, reply) => {
        const pattern = patterns.find((candidate) => answers(candidate, request)) as Endpoint;
        return dispatch(dispatcher, request, reply, { pattern, route: routes[pattern] });
      },
    });
  }
  return server;
}

/** `?_zmode=search` is an endpoint of its own at the address of another; the longer one is tried first. */
function byAddress(): Map<string, Endpoint[]> {
  const addresses = new Map<string, Endpoint[]>();
  for (const endpoint of ENDPOINTS) {
    const address = endpoint.split('?')[0] as string;
    addresses.set(address, [endpoint, ...(addresses.get(address) ?? [])]);
  }
  return addresses;
}

function answers(endpoint: Endpoint, request: FastifyRequest): boolean {
  const wanted = Object.entries(parseQuery(endpoint.split('?')[1] ?? ''));
  return wanted.every(([key, value]) => (request.query as Record<string, unknown>)[key] === value);
}

function begin(request: FastifyRequest, { app, recorder }: Dispatcher): void {
  const { method, url, headers } = request;
  const [path = '', query = ''] = url.split('?');
  const at = app.options.clock.now();
  const recorded = {
    method,
    url,
    path,
    pattern: '' as const,
    query: parseQuery(query),
    headers,
    body: undefined,
  };
  request.exchange = {
    recorded: { ...recorded, status: 0, at },
    arrivedAt: performance.now(),
    limitHeaders: app.anonymous.headers,
  };
  recorder.add(request.exchange.recorded);
}

/** Headers of every response, the recorded status, latency and late faults. */
async function finish(request: FastifyRequest, reply: FastifyReply, payload: unknown, { app }: Dispatcher) {
  const { exchange } = request;
  void reply.header('Access-Control-Allow-Origin', '*');
  for (const [name, value] of Object.entries(exchange.limitHeaders)) {
    if (!reply.hasHeader(name)) void reply.header(name, value);
  }
  exchange.recorded.status = reply.statusCode;
  const pending = app.options.latencyMs - (performance.now() - exchange.arrivedAt);
  if (pending > 0) await app.timers.sleep(pending);
  if (!exchange.fault) return payload;
  const { fault } = exchange;
  exchange.fault = undefined;
  const spoiled = await strikeAfter(fault, request, reply, payload, app);
  if (fault.type === 'status') exchange.recorded.status = reply.statusCode;
  return spoiled;
}

function answerError(error: Error, request: FastifyRequest, reply: FastifyReply, { recorder }: Dispatcher) {
  if (error instanceof ApiError) return reply.code(error.status).headers(error.headers).send(error.body);
  const { statusCode = 500 } = error as { statusCode?: number };
  const answer =
    statusCode < 500 ? new ApiError(422, 'Validation failed') : new ApiError(500, 'Internal Server Error');
  // A 500 of our own making is a bug of this service; tests that look at the violations see it.
  recorder.report(request.exchange.recorded, statusCode < 500 ? error.message : String(error.stack));
  return reply.code(answer.status).send(answer.body);
}

/** CORS (spec: Endpoints, general rule 3). */
function preflight(reply: FastifyReply, { app }: Dispatcher) {
  return reply
    .code(204)
    .header('Access-Control-Allow-Methods', 'POST, GET, OPTIONS, PUT, DELETE')
    .header(
      'Access-Control-Allow-Headers',
      ['Content-Type', 'X-Auth-Token', ...keyHeaders(app.options.headerPrefix)].join(', '),
    )
    .send();
}
