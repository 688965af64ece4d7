/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ServiceOptions } from '../options';
import type { Fault } from './faults';
import type { RecordedRequest } from './recorder';

/**
 * How the answer to work that was done arrives: whole; without all that is not `type: 'success'`; without a body, with
 * the status 200 or 204; the first half of it, as a whole answer or before the connection ends; twice.
 */
export type AnswerForm = 'whole' | 'bare' | 'empty' | 'noContent' | 'half' | 'cut' | 'doubled';

/** Sends the first bytes of an answer that announces more, and ends the connection. */
async function* cutAfter(bytes: Buffer, { raw }: FastifyRequest) {
  yield bytes;
  await new Promise((resolve) => setImmediate(resolve));
  raw.socket.destroy();
}

/** Returns the body to send instead of `payload`. */
export function changeForm(
  form: AnswerForm,
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): unknown {
  const bytes = Buffer.from(payload as string | Buffer);
  const half = bytes.subarray(0, Math.floor(bytes.length / 2));
  switch (form) {
    case 'whole':
      return payload;
    case 'bare':
      return JSON.stringify({ type: 'success' });
    case 'empty':
      return '';
    case 'noContent':
      void reply.code(204);
      return null;
    case 'half':
      return half;
    case 'cut':
      void reply.header('content-length', bytes.length);
      return Readable.from(cutAfter(half, request), { objectMode: false });
    case 'doubled':
      return Buffer.concat([bytes, bytes]);
  }
}

/** POST endpoints that change nothing which a later request shows; `intent` tells a list from a create. */
const READS = /_zmode=search$|\/components\/\{componentId\}\/records$|\/auth\//;

/** Finds the form of each answer by the readings `changeAnswers` and `readAnswers`. */
export class Answers {
  /** Reads by their address and body, of which the first one had a broken answer. */
  private readonly broken = new Set<string>();

  constructor(private readonly options: ServiceOptions) {}

  /** Undefined for an answer that stays whole: that of a refusal, and the second of two equal reads. */
  findFault({ status, method, pattern, intent, url, body }: RecordedRequest): Fault | undefined {
    const { changeAnswers, readAnswers } = this.options;
    if (status >= 300 || pattern === '') return undefined;
    const isRead = method === 'GET' || intent === 'list' || READS.test(pattern);
    if (!isRead) return changeAnswers === 'whole' ? undefined : { type: 'answer', form: changeAnswers };
    if (readAnswers === 'whole') return undefined;
    const read = JSON.stringify([method, url, body]);
    if (this.broken.delete(read)) return undefined;
    this.broken.add(read);
    return { type: 'answer', form: readAnswers };
  }
}
