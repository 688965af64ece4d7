/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import http from 'node:http';
import https from 'node:https';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { FormBody, NetworkError, type Port } from '../../nodes/service';

export type Clock = Port['clock'];
type FileStream = Extract<Awaited<ReturnType<Port['openFile']>>, { stream: unknown }>['stream'];

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The error of `fetch` has the code of the network in its cause. */
function toNetworkError(error: unknown): NetworkError {
  const { cause } = error as { cause?: { code?: string; message?: string } };
  return new NetworkError(cause?.code ?? 'UNKNOWN', cause?.message ?? (error as Error).message);
}

export const systemClock: Clock = {
  now: () => performance.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  random: Math.random,
};

const keepAlive = { keepAlive: true };
const agents = { 'http:': new http.Agent(keepAlive), 'https:': new https.Agent(keepAlive) };

/**
 * Sends a request and reads its answer. `fetch` needs three times the processor time for it, and sends no body with GET,
 * which the service reads there (spec: batch-update-check).
 */
const exchange = (url: string, options: http.RequestOptions, body?: string | Uint8Array, timeout?: number) =>
  new Promise<{ status: number; headers: Record<string, string>; bytes: Buffer }>((resolve, reject) => {
    const protocol = new URL(url).protocol as keyof typeof agents;
    const { request } = protocol === 'https:' ? https : http;
    const sent = request(url, { ...options, agent: agents[protocol] }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const headers = Object.fromEntries(
          Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
        );
        resolve({ status: response.statusCode!, headers, bytes: Buffer.concat(chunks) });
      });
    });
    const late = setTimeout(
      () => sent.destroy(Object.assign(new Error('too late'), { code: 'ETIMEDOUT' })),
      timeout,
    );
    sent.on('close', () => clearTimeout(late));
    sent.on('error', reject);
    sent.end(body);
  });

/** Connects a client with a service through Node. `hints` collects what it would show to a user. */
export const createFetchPort = (
  options: Partial<Pick<Port, 'clock' | 'signal' | 'timeZone'>> = {},
  hints: string[] = [],
): Port => ({
  clock: systemClock,
  lane: 'normal',
  timeZone: 'UTC',
  showProgress: () => undefined,
  showHint: (text) => void hints.push(text),
  ...options,

  async send({ method, url, body, headers, mayBeFile, timeout }) {
    const isForm = body instanceof FormBody;
    const isJson = body !== undefined && !isForm;
    const content = isForm ? body.bytes : isJson ? JSON.stringify(body) : undefined;
    const type = isForm ? body.contentType : 'application/json';
    try {
      const allHeaders = {
        'User-Agent': 'node',
        ...headers,
        ...(content !== undefined && { 'Content-Type': type, 'Content-Length': Buffer.byteLength(content) }),
      };
      const answer = await exchange(url, { method, headers: allHeaders }, content, timeout);
      const { bytes, ...rest } = answer;
      return {
        ...rest,
        body: mayBeFile ? new Uint8Array(bytes) : parseText(new TextDecoder().decode(bytes)),
      };
    } catch (error) {
      return toNetworkError({ cause: error });
    }
  },

  async openFile(url, timeout, signal) {
    const closing = new AbortController();
    const late = setTimeout(() => closing.abort(), timeout);
    try {
      const response = await fetch(url, {
        redirect: 'manual',
        headers: { 'Accept-Encoding': 'identity' },
        signal: signal ? AbortSignal.any([signal, closing.signal]) : closing.signal,
      });
      const stream = Readable.fromWeb(response.body as ReadableStream);
      const close = (error?: Error) => {
        stream.on('error', () => undefined);
        stream.destroy(error);
        closing.abort();
      };
      const headers = Object.fromEntries(response.headers);
      return { status: response.status, headers, stream: stream as FileStream, close };
    } catch (error) {
      return toNetworkError(error);
    } finally {
      clearTimeout(late);
    }
  },
});
