import { z } from 'zod';

/**
 * Shapes of the answers we read from, as loose as the spec is silent: unknown keys pass through, numbers
 * may come as text. What is only handed on to the user is not described here.
 */
const blank = (value: unknown) => value === null || value === '';
const number = z.preprocess((value) => (blank(value) ? undefined : value), z.coerce.number().optional());

/** A count in an answer; undefined where the answer does not tell it, which is not the same as none. */
export const countIn = (value: unknown): number | undefined => {
  const count = blank(value) || value === undefined ? NaN : Number(value);
  return Number.isInteger(count) ? count : undefined;
};

export type ServiceRecord = { id: string; [slug: string]: unknown };

const hasId = (value: unknown): value is ServiceRecord =>
  typeof value === 'object' &&
  value !== null &&
  'id' in value &&
  (typeof value.id === 'string' || typeof value.id === 'number');

const withTextId = (record: ServiceRecord): ServiceRecord =>
  typeof record.id === 'string' ? record : { ...record, id: String(record.id) };

export const recordSchema = z.custom<ServiceRecord>(hasId, 'Expected a record').transform(withTextId);

/** Checked as one and without a copy: 100,000 records take no more time and memory than they came with. */
const recordsSchema = z
  .custom<ServiceRecord[]>(
    (value) => Array.isArray(value) && value.every(hasId),
    'Expected a list of records',
  )
  .transform((records) => records.map(withTextId));

/** Spec: Records, "List response". `total_items` counts after filtering. */
export const recordListSchema = z
  .object({
    items: recordsSchema,
    total_items: number,
    total_pages: number,
    current_page: number,
    limit: number,
  })
  .passthrough();
export type RecordList = z.infer<typeof recordListSchema>;

/** Spec: Records, get and create response. */
export const recordAnswerSchema = z.object({ item: recordSchema }).passthrough();

/** Spec: Tables. */
export const tableListSchema = z
  .object({
    data_tables: z.array(z.object({ id: z.coerce.string(), name: z.coerce.string() }).passthrough()),
  })
  .passthrough();

/** Text, as which a flag or a number may come too; empty for anything else. */
const text = z
  .unknown()
  .transform((value) => (value === null || typeof value === 'object' ? '' : String(value ?? '')));

/** Spec: Field (full, from `/full-fields-info`). Everything but the slug may be missing. */
export const fullFieldSchema = z
  .object({
    slug: z.string(),
    fieldId: text,
    name: text,
    type: text,
    description: text,
    default_value: z.unknown().optional(),
    is_unique: text,
    options: z
      .array(z.object({ label: z.coerce.string(), value: z.coerce.string() }).passthrough())
      .catch([]),
    join: z.unknown().optional(),
  })
  .passthrough();
export type FullField = z.infer<typeof fullFieldSchema>;

export const fullFieldListSchema = z.object({ fields: z.array(fullFieldSchema) }).passthrough();

/** Spec: Webhooks. The list's envelope is not shown, so a bare array and any one array in an object do. */
export const subscriptionSchema = z
  .object({
    id: z.coerce.string(),
    data_table_id: z.coerce.string(),
    type: z.string(),
    hookUrl: z.string(),
    platform: text,
  })
  .passthrough();
export type Subscription = z.infer<typeof subscriptionSchema>;

/** Off, in any of the ways in which a service may write it. */
const isOff = (flag: unknown): boolean =>
  ['false', '0', 'no', 'off'].includes(String(flag).trim().toLowerCase());

/** Spec: API status record. What the flags are not said to be is on: nobody is told of a lack that is none. */
export const statusSchema = z
  .object({
    api_key: z.object({ status: text }).passthrough(),
    permissions: z
      .record(
        z.string(),
        z.unknown().transform((flag) => !isOff(flag)),
      )
      .optional()
      .catch(undefined),
  })
  .passthrough();

/**
 * The list inside an answer: the array under `key`, else the answer itself when it is one, else the only array
 * it holds (envelopes that the spec does not show). Null under `key` stands for an empty one, where there is no other.
 */
export function listIn(body: unknown, key?: string): unknown[] | undefined {
  if (Array.isArray(body)) return body;
  if (typeof body !== 'object' || body === null) return undefined;
  const value = key === undefined ? undefined : (body as Record<string, unknown>)[key];
  if (Array.isArray(value)) return value;
  if (value !== undefined && value !== null) return undefined;
  const arrays = Object.values(body).filter(Array.isArray);
  if (arrays.length === 1) return arrays[0] as unknown[];
  return value === null ? [] : undefined;
}
