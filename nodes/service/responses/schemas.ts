/** The schemas of responses require only what the code reads. Other keys stay, and numbers may be text. */
import { omit } from 'lodash';
import { z } from 'zod';
import { asObject, isObject } from '../input/values';

const filledTextSchema = z.string().min(1);

export const objectSchema = z.custom<Record<string, unknown>>(isObject, 'Expected an object');

/**
 * In answers about sessions, `status: 'success'` may replace `type` (evidence 5), so it is removed too. Elsewhere,
 * `status` may be that of a run.
 */
const removeSuccessStatus = <Body extends Record<string, unknown>>(body: Body) =>
  body.status === 'success' ? omit(body, 'status') : body;

export const loginSchema = z.object({ token: filledTextSchema }).passthrough().transform(removeSuccessStatus);

export const magicLinkSchema = z.object({ magicLinkUrl: filledTextSchema }).passthrough();

/**
 * Some services return `expires_at` in place of `valid`: only for a valid token, because they refuse an invalid token
 * (evidence 5). The spec does not define the type of `valid`. See silences.md: `autoLogin`.
 */
export const sessionStatusSchema = z
  .custom<Record<string, unknown>>(
    (body) =>
      isObject(body) && [body.valid, body.expires_at].some((value) => value !== undefined && value !== null),
    'Expected "valid" or "expires_at"',
  )
  .transform((body) => ({ ...removeSuccessStatus(body), valid: body.valid ?? true }));

export const logoutSchema = objectSchema.transform(removeSuccessStatus);

/** Parses a number or a text. Returns undefined, not 0, for a missing or wrong count. */
export const parseCount = (value: unknown): number | undefined => {
  const count = value === null || value === '' ? NaN : Number(value);
  return Number.isInteger(count) ? count : undefined;
};

/** `optional` is needed so that zod 4 reports a missing key by the same message as a wrong value. */
const countSchema = z
  .unknown()
  .optional()
  .transform((value, context) => {
    const count = parseCount(value);
    if (count !== undefined) return count;
    context.addIssue({ code: 'custom', message: 'Expected a number' });
    return z.NEVER;
  });

/**
 * Finds a list: under `key`, the response itself, or its only array. The spec does not define every envelope.
 * See silences.md: `envelopes`.
 */
export function findList(body: unknown, key?: string): unknown[] | undefined {
  if (Array.isArray(body)) return body;
  if (typeof body !== 'object' || body === null) return undefined;
  const value = key === undefined ? undefined : (body as Record<string, unknown>)[key];
  if (Array.isArray(value)) return value;
  if (value !== undefined && value !== null) return undefined;
  const arrays = Object.values(body).filter(Array.isArray);
  return arrays.length === 1 ? (arrays[0] as unknown[]) : undefined;
}

/** Keys that describe a response. An object under the only other key is the requested object. */
const ENVELOPE_KEY_PATTERN = /^(type|status|msg|message|success|code|total\w*)$/;

/** @returns undefined unless the list has exactly one entry, and this entry is an object */
const findOnlyEntry = (list: unknown): unknown =>
  Array.isArray(list) && list.length === 1 && isObject(list[0]) ? list[0] : undefined;

/**
 * Returns the object under `key`, the only object in the response, the only entry of its list, or else the
 * response itself. The spec does not define every envelope. See silences.md: `envelopes`.
 */
export function unwrapItem(body: unknown, key = 'item'): unknown {
  if (!isObject(body)) return findOnlyEntry(body) ?? body;
  const keyed = body[key];
  if (isObject(keyed)) return keyed;
  // A response with an ID is the object itself.
  if ('id' in body) return body;
  const contents = Object.entries(body).filter(([name]) => !ENVELOPE_KEY_PATTERN.test(name));
  if (contents.length === 1 && isObject(contents[0]?.[1])) return contents[0]?.[1];
  return findOnlyEntry(body.items) ?? body;
}

/** Lists and objects become ''. `optional` is needed so that zod 4 converts a missing key too. */
export const textSchema = z
  .unknown()
  .optional()
  .transform((value) => (typeof value === 'object' ? '' : String(value ?? '')));

/** The service may send an ID as a number. It becomes text. */
export const idSchema = z
  .custom<string | number>((value) => ['string', 'number'].includes(typeof value), 'Expected an ID')
  .transform(String);

/** `total` counts the entries of the whole list. Only some lists of the spec have a total. */
export interface ListResponse<Entry = unknown> {
  items: Entry[];
  total?: number;
}

const findFirstList = (body: unknown, keys: string[]): unknown[] | undefined => {
  for (const key of keys) {
    const list = findList(body, key);
    if (list) return list;
  }
  return undefined;
};

function toListResponse(body: unknown, items: unknown[]): ListResponse {
  const { total_items, total, total_tasks } = asObject(body);
  return { items, total: parseCount(total_items ?? total ?? total_tasks) };
}

/** The list is under the first of `keys` that has one, or where `findList` finds it. */
export const createListSchema = (...keys: string[]) =>
  z.unknown().transform((body, context): ListResponse => {
    const items = findFirstList(body, keys);
    if (items) return toListResponse(body, items);
    context.addIssue({ code: 'custom', message: `Expected a list under "${keys.join('" or "')}"` });
    return z.NEVER;
  });

const createTypedListSchema = <Schema extends z.ZodTypeAny>(key: string, entry: Schema) =>
  createListSchema(key).pipe(z.object({ items: z.array(entry), total: z.number().optional() }));

/**
 * For a list that the spec does not define. A response without a list becomes its only entry. See silences.md:
 * `envelopes`.
 */
export const createUndocumentedListSchema = (...keys: string[]) =>
  z.unknown().transform((body): ListResponse => {
    const items = findFirstList(body, keys) ?? findList(body) ?? [unwrapItem(body)];
    return toListResponse(body, items);
  });

export const createItemSchema = (key = 'item') => z.unknown().transform((body) => unwrapItem(body, key));

/** A body without any of the three objects may come from another server (spec: API status record). */
export const apiKeyStatusSchema = z.custom<Record<string, unknown>>(
  (body) => isObject(body) && [body.api_key, body.permissions, body.per_minute_limit].some(isObject),
  'Expected "api_key", "permissions" or "per_minute_limit"',
);

export const tableListSchema = createTypedListSchema(
  'data_tables',
  z.object({ id: idSchema, name: textSchema }).passthrough(),
);

/** Only the slug is checked here (spec: Field (full)); `fullFieldSchema` parses the entries. */
export const fullFieldListSchema = createTypedListSchema(
  'fields',
  z.object({ slug: z.string() }).passthrough(),
);

/** A choice without a value cannot be written, so it is left out. */
const choiceSchema = z.object({ label: z.coerce.string(), value: idSchema }).passthrough();

/** Everything but the slug may be missing (spec: Field (full, from `/full-fields-info`)). */
export const fullFieldSchema = z
  .object({
    slug: z.string(),
    fieldId: textSchema,
    name: textSchema,
    type: textSchema,
    description: textSchema,
    default_value: z.unknown().optional(),
    is_unique: textSchema,
    options: z
      .array(z.unknown())
      .catch([])
      .transform((options) => options.flatMap((option) => choiceSchema.safeParse(option).data ?? [])),
    join: z.unknown().optional(),
  })
  .passthrough();

export type ServiceRecord = { id: string; [slug: string]: unknown };

const isServiceRecord = (value: unknown): value is ServiceRecord =>
  typeof value === 'object' &&
  value !== null &&
  'id' in value &&
  (typeof value.id === 'string' || typeof value.id === 'number');

const convertIdToText = (record: ServiceRecord): ServiceRecord =>
  typeof record.id === 'string' ? record : { ...record, id: String(record.id) };

/** Checks the records with a function, because a schema would copy each of up to 100,000. */
const recordItemsSchema = z
  .custom<ServiceRecord[]>(
    (value) => Array.isArray(value) && value.every(isServiceRecord),
    'Expected a list of records, each with an ID',
  )
  .transform((records) => records.map(convertIdToText));

/** `total_items` counts the records of all pages, after filtering (spec: Records, "List response"). */
export const recordListSchema = z
  .object({
    items: recordItemsSchema,
    total_items: countSchema,
    total_pages: z.unknown().optional().transform(parseCount),
  })
  .passthrough();
export type RecordList = z.infer<typeof recordListSchema>;

/** An answer has `records` and `total`, or `items` and `total_items` (spec: Layouts, pages and components). */
export const componentRecordsSchema = z.preprocess((body) => {
  const { records, total, items = records, total_items = total } = asObject(body);
  return { items, total_items };
}, recordListSchema);

/** The types of the entries are not checked (spec: Logs). */
export const logPageSchema = z
  .object({ items: z.array(z.unknown()), total_items: countSchema, total_pages: countSchema })
  .passthrough();

/** Lists the IDs in the answer to a write: first the ID of the record in `item`, then `recordId` and `id`. */
export const listIdsInResponse = ({ item, recordId, id }: Record<string, unknown>): string[] =>
  [isObject(item) ? item.id : undefined, recordId, id]
    .filter((one) => typeof one === 'number' || (typeof one === 'string' && one !== ''))
    .map(String);

const findIdInResponse = (body: Record<string, unknown>): string | undefined => listIdsInResponse(body)[0];

/**
 * A service that ignores the filter in the body creates a record: `createdId` is then its ID, and the list is empty.
 */
export const recordListByPostSchema = z.preprocess(
  (body) => {
    const createdId = isObject(body) && !('items' in body) ? findIdInResponse(body) : undefined;
    return createdId === undefined ? body : { items: [], total_items: 0, createdId };
  },
  recordListSchema.extend({ createdId: z.string().optional() }),
);

/** If the request names fields, the record may lack its ID (spec: Records, "Get response"). */
export const recordSchema = z.object({ item: objectSchema }).passthrough();

/** `item` is the created record, if the answer contains it. */
export interface CreatedRecord {
  id: string;
  item?: ServiceRecord;
  [key: string]: unknown;
}

/** Some services return only the ID, as `recordId` (evidence 1). An answer without any ID is an error. */
export const createdRecordSchema = objectSchema.transform((body, context): CreatedRecord => {
  const id = findIdInResponse(body);
  if (id !== undefined) return { ...body, id, item: isObject(body.item) ? { ...body.item, id } : undefined };
  context.addIssue({
    code: 'custom',
    message: 'Expected the ID of the record under "item", "recordId" or "id"',
  });
  return z.NEVER;
});

export const batchUpdateCheckSchema = z.object({ total: countSchema }).passthrough();

const subscriptionSchema = z
  .object({
    id: idSchema,
    data_table_id: idSchema,
    type: z.string(),
    hookUrl: z.string(),
    platform: textSchema,
  })
  .passthrough();
export type Subscription = z.infer<typeof subscriptionSchema>;

/** The spec does not define the envelope of this list. See silences.md: `envelopes`. */
export const subscriptionListSchema = createListSchema('items');

/** The response may lack the ID. The list of subscriptions contains the ID in any case. */
export const newSubscriptionSchema = z.object({ id: idSchema.optional().catch(undefined) }).passthrough();

/** Leaves out entries that do not fit `subscriptionSchema`. */
export const parseSubscriptions = (entries: unknown[]): Subscription[] =>
  entries.flatMap((entry) => {
    const parsed = subscriptionSchema.safeParse(entry);
    return parsed.success ? [{ ...parsed.data, type: parsed.data.type.toUpperCase() }] : [];
  });
