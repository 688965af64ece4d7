import { z } from 'zod';
import { asObject, isObject } from '../input/isObject';
import { findList, parseCount } from './findList';
import { unwrapItem } from './unwrapItem';

/**
 * Schemas for the responses of the endpoints. They require only what the spec defines and the code reads.
 * Unknown keys are kept, and numbers may be text.
 */

/** Any object. */
export const objectSchema = z.custom<Record<string, unknown>>(isObject, 'Expected an object');

/** Text. Numbers and booleans are converted to text, anything else to ''. zod 4 needs `optional` for a missing key. */
export const textSchema = z
  .unknown()
  .optional()
  .transform((value) => (value === null || typeof value === 'object' ? '' : String(value ?? '')));

/** An ID. The service may send it as a number; it is converted to text. */
export const idSchema = z
  .custom<string | number>((value) => ['string', 'number'].includes(typeof value), 'Expected an ID')
  .transform(String);

/** A list in a response, with the counts of all its pages. */
export interface ListResponse<Entry = unknown> {
  items: Entry[];
  /** Number of entries on all pages. */
  total?: number;
  totalPages?: number;
  /** The response has null in place of the list. */
  isNull?: true;
}

const findFirstList = (body: unknown, keys: string[]): unknown[] | undefined => {
  for (const key of keys) {
    const list = findList(body, key);
    if (list) return list;
  }
  return undefined;
};

function toListResponse(body: unknown, items: unknown[], keys: string[]): ListResponse {
  const { total_items, total, total_tasks, total_pages, ...rest } = asObject(body);
  const isNull = items.length === 0 && keys.some((key) => rest[key] === null);
  return {
    items,
    total: parseCount(total_items ?? total ?? total_tasks),
    totalPages: parseCount(total_pages),
    ...(isNull && { isNull }),
  };
}

/** A response with a list; see `findList`. `keys` are tried in order. */
export const createListSchema = (...keys: string[]) =>
  z.unknown().transform((body, context): ListResponse => {
    const items = findFirstList(body, keys);
    if (items) return toListResponse(body, items, keys);
    context.addIssue({ code: 'custom', message: `Expected a list under "${keys.join('" or "')}"` });
    return z.NEVER;
  });

/** A response with a list whose entries match the schema `entry`. */
export const createEntryListSchema = <Schema extends z.ZodTypeAny>(key: string, entry: Schema) =>
  createListSchema(key).pipe(z.object({ items: z.array(entry), total: z.number().optional() }));

/**
 * A response that the spec does not define and that probably has a list. If it has none, the response becomes
 * the only entry.
 */
export const createUndefinedListSchema = (...keys: string[]) =>
  z.unknown().transform((body): ListResponse => {
    const items = findFirstList(body, keys) ?? findList(body) ?? [unwrapItem(body)];
    return toListResponse(body, items, keys);
  });

/** A response with one object in an envelope; see `unwrapItem`. */
export const createItemSchema = (key = 'item') => z.unknown().transform((body) => unwrapItem(body, key));
