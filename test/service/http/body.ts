/* eslint-disable @n8n/community-nodes/require-node-api-error -- not shipped: runs on Node */
import type { FastifyRequest } from 'fastify';
import type { Payload } from '../data/payload';
import type { FilePart } from '../data/readValue';
import { ResponseError } from './errors';

/** A request body; `other` has a content type that is not in the spec. */
export type Body =
  | { kind: 'none' }
  | { kind: 'json'; value: unknown }
  | { kind: 'form'; parts: Record<string, unknown> }
  | { kind: 'other'; contentType: string };

/** Fastify leaves JSON as text and a form unread. */
export async function readBody(request: FastifyRequest): Promise<Body> {
  if (request.isMultipart()) return { kind: 'form', parts: await readFormParts(request) };
  const raw = request.body as string | undefined;
  if (raw === undefined || raw === '') return { kind: 'none' };
  const contentType = request.headers['content-type'] ?? 'no content type';
  if (!/^application\/json\b/i.test(contentType)) return { kind: 'other', contentType };
  try {
    return { kind: 'json', value: JSON.parse(raw) };
  } catch {
    throw new ResponseError(422, 'Validation failed', { body: ['Invalid JSON'] });
  }
}

/** Names sent more than once become lists, like `<slug>[]` (spec: Field-type value formats). */
async function readFormParts(request: FastifyRequest): Promise<Record<string, unknown>> {
  const parts: Record<string, unknown> = {};
  for await (const part of request.parts()) {
    const value = part.type === 'field' ? String(part.value) : await readUpload(part);
    const earlier = parts[part.fieldname];
    if (earlier === undefined) parts[part.fieldname] = value;
    else parts[part.fieldname] = Array.isArray(earlier) ? [...earlier, value] : [earlier, value];
  }
  return parts;
}

async function readUpload(part: {
  filename: string;
  mimetype: string;
  toBuffer(): Promise<Buffer>;
}): Promise<FilePart> {
  return { filename: part.filename, contentType: part.mimetype, bytes: await part.toBuffer() };
}

export function asPayload(body: Body): Payload {
  if (body.kind === 'form') return { form: true, entries: Object.entries(body.parts) };
  if (body.kind === 'json' && isObject(body.value))
    return { form: false, entries: Object.entries(body.value) };
  return { form: false, entries: [] };
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

export const isFile = (value: unknown): value is FilePart => isObject(value) && Buffer.isBuffer(value.bytes);
