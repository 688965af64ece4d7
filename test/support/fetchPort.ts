/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import axios from 'axios';
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

/** The error of `fetch` has the code of the network in its cause, and none after its own timeout. */
function toNetworkError(error: unknown): NetworkError {
  const { name, message, cause } = error as Error & { cause?: { code?: string; message?: string } };
  const code = name === 'TimeoutError' ? 'ETIMEDOUT' : (cause?.code ?? 'UNKNOWN');
  return new NetworkError(code === 'UND_ERR_SOCKET' ? 'ECONNRESET' : code, cause?.message ?? message);
}

export const systemClock: Clock = {
  now: () => performance.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  random: Math.random,
};

/** `fetch` sends no body with GET, which the service reads there (spec: batch-update-check). */
async function getWithBody(
  url: string,
  { headers, body }: { headers: Record<string, string>; body: string },
) {
  const options = { data: body, headers, responseType: 'arraybuffer', validateStatus: () => true } as const;
  const { status, data } = await axios.get<ArrayBuffer>(url, options).catch((error: unknown) => {
    throw Object.assign(new Error(), { cause: error });
  });
  return new Response(data, { status });
}

/** Connects a client with a service through `fetch`. `hints` collects what it would show to a user. */
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

  async send({ method, url, body, headers, file, timeout }) {
    const isForm = body instanceof FormBody;
    const isJson = body !== undefined && !isForm;
    try {
      const allHeaders = {
        ...headers,
        ...(isJson && { 'Content-Type': 'application/json' }),
        ...(isForm && { 'Content-Type': body.contentType }),
      };
      const response =
        isJson && (method ?? 'GET') === 'GET'
          ? await getWithBody(url, { headers: allHeaders, body: JSON.stringify(body) })
          : await fetch(url, {
              method,
              headers: allHeaders,
              body: isForm ? new Uint8Array(body.bytes) : isJson ? JSON.stringify(body) : undefined,
              redirect: 'manual',
              signal: AbortSignal.timeout(timeout),
            });
      const bytes = new Uint8Array(await response.arrayBuffer());
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: file ? bytes : parseText(new TextDecoder().decode(bytes)),
      };
    } catch (error) {
      return toNetworkError(error);
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
