import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Application } from '../state/application';
import { changeForm } from './answers';
import { createRateLimitError } from './dispatch';
import { ResponseError } from './errors';
import type { Fault } from './faults';

const HTML =
  '<!DOCTYPE html><html><head><title>Proxy</title></head><body><h1>Something went wrong</h1></body></html>';

/** Whether the fault applies after the work is done. */
export function isLateFault(fault: Fault): boolean {
  if (fault.type === 'reset' || fault.type === 'status') return fault.when === 'after';
  return ['stall', 'truncate', 'answer'].includes(fault.type);
}

/** Answers with an error, or cuts the connection, without doing the work. */
export function applyFaultBefore(
  fault: Fault,
  request: FastifyRequest,
  reply: FastifyReply,
  app: Application,
): FastifyReply {
  const { exchange } = request;
  switch (fault.type) {
    case 'status':
      return reply
        .code(fault.status)
        .headers(fault.headers ?? {})
        .send(createStatusBody(fault));
    case 'rateLimit': {
      const wait = fault.retryAfter === undefined ? undefined : String(fault.retryAfter);
      const isDay = fault.scope === 'day';
      Object.assign(exchange.limitHeaders, {
        [isDay ? 'X-RateLimit-Daily-Remaining' : 'X-RateLimit-Remaining']: '0',
        ...(wait && { [isDay ? 'X-Daily-Retry-After' : 'X-Retry-After']: wait }),
      });
      throw createRateLimitError(fault.scope, app, exchange.limitHeaders);
    }
    case 'html':
      return reply
        .code(fault.status ?? 502)
        .type('text/html')
        .send(HTML);
    case 'redirect':
      return reply.code(fault.status).header('location', fault.location).send({ type: 'redirect' });
    default:
      reply.hijack();
      cutConnection(request);
      return reply;
  }
}

/** Changes an answer before it is sent. Returns the body to send. */
export async function applyFaultAfter(
  fault: Fault,
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  app: Application,
): Promise<unknown> {
  if (fault.type === 'reset') cutConnection(request);
  if (fault.type === 'stall') await app.timers.sleep(fault.ms);
  if (fault.type === 'truncate') return changeForm('half', request, reply, payload);
  if (fault.type === 'answer') return changeForm(fault.form, request, reply, payload);
  if (fault.type !== 'status') return payload;
  void reply.code(fault.status).headers(fault.headers ?? {});
  const body = createStatusBody(fault);
  return typeof body === 'string' ? body : JSON.stringify(body);
}

export function cutConnection(request: FastifyRequest): void {
  request.exchange.recorded.status = 0;
  request.raw.socket.destroy();
}

function createStatusBody({ status, body }: Extract<Fault, { type: 'status' }>): unknown {
  return body ?? new ResponseError(status, status >= 500 ? 'Internal Server Error' : 'Error').body;
}
