/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/require-node-api-error -- not shipped: runs on Node */
import '../environment';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { parse as parseForm } from 'node:querystring';
import type { Readable } from 'node:stream';
import { createGunzip, createInflate } from 'node:zlib';
import { jsonParse } from 'n8n-workflow';

/** The parts of Express' request that nodes read; n8n-core itself adds `contentType` and `rawBody`. */
export interface WebhookRequest extends IncomingMessage {
  path: string;
  originalUrl: string;
  params: Record<string, string>;
  query: Record<string, string | string[]>;
  body?: unknown;
  get(name: string): string | undefined;
}

/** The parts of Express' response that nodes use to answer by themselves. */
export interface WebhookResponse extends ServerResponse {
  status(code: number): this;
  set(name: string | Record<string, string>, value?: string): this;
  header(name: string | Record<string, string>, value?: string): this;
  type(contentType: string): this;
  json(body: unknown): this;
  send(body?: unknown): this;
  sendStatus(code: number): this;
}

export class HttpError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly code = status,
  ) {
    super(message);
  }
}

/** n8n's `N8N_PAYLOAD_SIZE_MAX`, in bytes. */
const MAX_PAYLOAD = 16 * 1024 * 1024;

export function asExpressRequest(request: IncomingMessage): WebhookRequest {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const query: Record<string, string | string[]> = {};
  for (const key of new Set(url.searchParams.keys())) {
    const values = url.searchParams.getAll(key);
    query[key] = values.length > 1 ? values : (values[0] ?? '');
  }
  const contentType = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  const get = (name: string) => request.headers[name.toLowerCase()]?.toString();
  const extra = { path: url.pathname, originalUrl: request.url ?? '/', params: {}, query, contentType, get };
  return Object.assign(request, extra);
}

export function asExpressResponse(response: ServerResponse): WebhookResponse {
  const res = response as WebhookResponse;
  res.status = (code) => Object.assign(res, { statusCode: code });
  res.set = (name, value) => {
    const headers = typeof name === 'string' ? { [name]: value ?? '' } : name;
    for (const [key, text] of Object.entries(headers)) res.setHeader(key, text);
    return res;
  };
  res.header = res.set;
  res.type = (contentType) => res.set('content-type', contentType);
  res.json = (body) => {
    if (!res.hasHeader('content-type')) res.type('application/json; charset=utf-8');
    res.end(body === undefined ? undefined : JSON.stringify(body));
    return res;
  };
  res.send = (body) => {
    if (typeof body !== 'string' && !Buffer.isBuffer(body)) return res.json(body);
    if (!res.hasHeader('content-type')) res.type('text/html; charset=utf-8');
    res.end(body);
    return res;
  };
  res.sendStatus = (code) => res.status(code).send(String(code));
  return res;
}

/** Reads the body before `webhook()` runs and parses what n8n parses; multipart forms are left alone. */
export async function parseBody(request: WebhookRequest): Promise<void> {
  const { contentType = '' } = request;
  if (contentType.startsWith('multipart/')) return;
  const rawBody = await readRawBody(request);
  request.rawBody = rawBody;
  if (rawBody.length === 0) return;
  const text = rawBody.toString().replace(/^\ufeff/, '');
  try {
    if (contentType === 'application/json') request.body = jsonParse(text);
    else if (contentType === 'application/x-www-form-urlencoded') request.body = parseForm(text);
    else if (contentType === 'text/plain') request.body = text;
    // n8n parses XML, and refuses what is none.
    else if (/[/+]xml$/.test(contentType) && !text.trim().startsWith('<')) throw new Error('no XML');
  } catch {
    throw new HttpError(422, 'Failed to parse request body');
  }
}

async function readRawBody(request: WebhookRequest): Promise<Buffer> {
  const encoding = request.headers['content-encoding'];
  let stream: Readable = request;
  if (encoding === 'gzip') stream = request.pipe(createGunzip());
  if (encoding === 'deflate') stream = request.pipe(createInflate());
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += (chunk as Buffer).length;
    if (size > MAX_PAYLOAD) throw new Error('request entity too large');
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}
