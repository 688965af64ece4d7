import { z } from 'zod';
import { objectSchema, parseCount } from './schemas';

export type ServiceRecord = { id: string; [slug: string]: unknown };

const isServiceRecord = (value: unknown): value is ServiceRecord =>
  typeof value === 'object' &&
  value !== null &&
  'id' in value &&
  (typeof value.id === 'string' || typeof value.id === 'number');

const withStringId = (record: ServiceRecord): ServiceRecord =>
  typeof record.id === 'string' ? record : { ...record, id: String(record.id) };

/** Checks the list in one pass without a copy, because it may hold 100,000 records. */
const recordsSchema = z
  .custom<ServiceRecord[]>(
    (value) => Array.isArray(value) && value.every(isServiceRecord),
    'Expected a list of records, each with an ID',
  )
  .transform((records) => records.map(withStringId));

const countSchema = z.preprocess(
  (value) => (value === null || value === '' ? undefined : value),
  z.coerce.number().optional(),
);

/** Spec: Records, "List response". `total_items` counts after filtering. */
export const recordListSchema = z
  .object({
    items: recordsSchema,
    total_items: countSchema,
    total_pages: countSchema,
    current_page: countSchema,
    limit: countSchema,
  })
  .passthrough();
export type RecordList = z.infer<typeof recordListSchema>;

/** Spec: Records, "Get response". If the request names columns, the record may lack its ID. */
export const recordSchema = z.object({ item: objectSchema }).passthrough();

/**
 * Spec: Records, "Create response". A response without a record is an error, because it does not show that
 * one was created.
 */
export const createdRecordSchema = z
  .object({
    item: z.custom<ServiceRecord>(isServiceRecord, 'Expected a record with an ID').transform(withStringId),
  })
  .passthrough();
export type CreatedRecord = z.infer<typeof createdRecordSchema>;

/** Spec: Records, "Batch-update-check response". */
export const batchCheckSchema = z
  .object({
    total: z.unknown().transform((value, context) => {
      const total = parseCount(value);
      if (total !== undefined) return total;
      context.addIssue({ code: 'custom', message: 'Expected a number' });
      return z.NEVER;
    }),
  })
  .passthrough();
