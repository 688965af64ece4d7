/**
 * The schemas of responses. A schema requires only what the code reads. Unknown keys are kept, and numbers may be text.
 * `findList` and `unwrapItem` find the content of an envelope, whose form differs between services.
 */
import { omit } from 'lodash';
import { z } from 'zod';
import { asObject, isObject } from '../input/values';

const filledTextSchema = z.string().min(1);

export const objectSchema = z.custom<Record<string, unknown>>(isObject, 'Expected an object');

/**
 * Removes `status: 'success'`. Some services send it in place of `type: 'success'` in answers about sessions (evidence
 * 5). In other answers, `status` may be the status of a run.
 */
const removeSuccessStatus = <Body extends Record<string, unknown>>(body: Body) =>
  body.status === 'success' ? omit(body, 'status') : body;

/** Spec: User authentication, login. */
export const loginSchema = z.object({ token: filledTextSchema }).passthrough().transform(removeSuccessStatus);

/** Spec: User authentication, magic link. */
export const magicLinkSchema = z.object({ magicLinkUrl: filledTextSchema }).passthrough();

/**
 * Spec: User authentication, status. Some services answer without `valid`, with `status: 'success'` and the date of the
 * expiry (evidence 5). The token is then valid, because these services refuse any other. `valid` keeps its type, which the
 * spec does not define. Open point: `autoLogin`.
 */
export const sessionStatusSchema = z
  .custom<Record<string, unknown>>(
    (body) =>
      isObject(body) && [body.valid, body.expires_at].some((value) => value !== undefined && value !== null),
    'Expected "valid" or "expires_at"',
  )
  .transform((body) => ({ ...removeSuccessStatus(body), valid: body.valid ?? true }));

/** Spec: User authentication, logout. */
export const logoutSchema = objectSchema.transform(removeSuccessStatus);

/** Parses a count, which may be text. Undefined, not 0, for a missing or invalid count. */
export const parseCount = (value: unknown): number | undefined => {
  const count = value === null || value === '' ? NaN : Number(value);
  return Number.isInteger(count) ? count : undefined;
};

/** zod 4 needs `optional` for a missing key. */
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
 * Finds the list in a response, because the spec does not define every envelope. It is the array under `key`, or the
 * response itself if it is an array, or the only array in the response. Open point: `envelopes`.
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

/**
 * Keys that describe the response. `unwrapItem` ignores them when it looks for the only object. A response with other keys
 * beside an object may itself be the object that was requested.
 */
const ENVELOPE_KEY = /^(type|status|msg|message|success|code|total\w*)$/;

/** Returns the object of a list that has one object only. Undefined for any other value. */
const findOnlyObject = (list: unknown): unknown =>
  Array.isArray(list) && list.length === 1 && isObject(list[0]) ? list[0] : undefined;

/**
 * Finds the object in a response, because the spec does not define every envelope. It is the object under `key`, or the
 * only object in the response, or the only entry of `items` or of a list. Otherwise it is the response itself. Open point:
 * `envelopes`.
 */
export function unwrapItem(body: unknown, key = 'item'): unknown {
  if (!isObject(body)) return findOnlyObject(body) ?? body;
  const keyed = body[key];
  if (isObject(keyed)) return keyed;
  // A response with an ID is the object itself.
  if ('id' in body) return body;
  const contents = Object.entries(body).filter(([name]) => !ENVELOPE_KEY.test(name));
  if (contents.length === 1 && isObject(contents[0]?.[1])) return contents[0]?.[1];
  return findOnlyObject(body.items) ?? body;
}

/** Text. Numbers and booleans are converted to text, anything else to ''. zod 4 needs `optional` for a missing key. */
export const textSchema = z
  .unknown()
  .optional()
  .transform((value) => (typeof value === 'object' ? '' : String(value ?? '')));

/** An ID. The service may send it as a number; it is converted to text. */
export const idSchema = z
  .custom<string | number>((value) => ['string', 'number'].includes(typeof value), 'Expected an ID')
  .transform(String);

/** A list in a response. The spec shows the number of all its entries for some lists. */
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

/** A response with a list; see `findList`. `keys` are tried in order. */
export const createListSchema = (...keys: string[]) =>
  z.unknown().transform((body, context): ListResponse => {
    const items = findFirstList(body, keys);
    if (items) return toListResponse(body, items);
    context.addIssue({ code: 'custom', message: `Expected a list under "${keys.join('" or "')}"` });
    return z.NEVER;
  });

/** A response with a list whose entries match the schema `entry`. */
const createEntryListSchema = <Schema extends z.ZodTypeAny>(key: string, entry: Schema) =>
  createListSchema(key).pipe(z.object({ items: z.array(entry), total: z.number().optional() }));

/**
 * A response that the spec does not define and that probably has a list. If it has none, the response becomes
 * the only entry.
 * Open point: `envelopes`.
 */
export const createUnspecifiedListSchema = (...keys: string[]) =>
  z.unknown().transform((body): ListResponse => {
    const items = findFirstList(body, keys) ?? findList(body) ?? [unwrapItem(body)];
    return toListResponse(body, items);
  });

/** A response with one object in an envelope; see `unwrapItem`. */
export const createItemSchema = (key = 'item') => z.unknown().transform((body) => unwrapItem(body, key));

/** Spec: API status record. One of its objects shows that the service answers, and no other server. */
export const keyStatusSchema = z.custom<Record<string, unknown>>(
  (body) => isObject(body) && [body.api_key, body.permissions, body.per_minute_limit].some(isObject),
  'Expected "api_key", "permissions" or "per_minute_limit"',
);

/** Whether a flag is one of the usual words for "no". */
const isDenied = (flag: unknown): boolean =>
  ['false', '0', 'no', 'off'].includes(String(flag).trim().toLowerCase());

/**
 * Reads the permissions of a key by their flags. Undefined if the status does not contain them. An
 * unclear flag counts as granted, so that no permission is reported as missing by mistake.
 */
export const parsePermissionFlags = ({ permissions }: Record<string, unknown>) =>
  isObject(permissions)
    ? Object.fromEntries(Object.entries(permissions).map(([name, flag]) => [name, !isDenied(flag)]))
    : undefined;

/** Spec: Tables. */
export const tableListSchema = createEntryListSchema(
  'data_tables',
  z.object({ id: idSchema, name: textSchema }).passthrough(),
);

/** Spec: Field (full). Only the slug is checked here; `fullFieldSchema` parses the entries. */
export const fullFieldListSchema = createEntryListSchema(
  'fields',
  z.object({ slug: z.string() }).passthrough(),
);

/** Spec: Field (full, from `/full-fields-info`). Everything but the slug may be missing. */
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
      .array(z.object({ label: z.coerce.string(), value: z.coerce.string() }).passthrough())
      .catch([]),
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

/** Checks the list with a function: a schema of each record would copy each of up to 100,000 records. */
const recordsSchema = z
  .custom<ServiceRecord[]>(
    (value) => Array.isArray(value) && value.every(isServiceRecord),
    'Expected a list of records, each with an ID',
  )
  .transform((records) => records.map(convertIdToText));

/** Spec: Records, "List response". `total_items` counts after filtering. */
export const recordListSchema = z
  .object({
    items: recordsSchema,
    total_items: countSchema,
    total_pages: z.unknown().optional().transform(parseCount),
  })
  .passthrough();
export type RecordList = z.infer<typeof recordListSchema>;

/** Spec: Layouts, pages and components. An answer has the keys `records` and `total`, or those of `recordListSchema`. */
export const componentRecordsSchema = z.preprocess((body) => {
  const { records, total, items = records, total_items = total } = asObject(body);
  return { items, total_items };
}, recordListSchema);

/** One page of any log (spec: Logs). The types of the entries are not checked. */
export const logPageSchema = z
  .object({ items: z.array(z.unknown()), total_items: countSchema, total_pages: countSchema })
  .passthrough();

/** Lists the IDs in the answer to a write: the ID of the record in `item`, then `recordId` and `id`. */
export const listAnsweredIds = ({ item, recordId, id }: Record<string, unknown>): string[] =>
  [isObject(item) ? item.id : undefined, recordId, id]
    .filter((one) => typeof one === 'number' || (typeof one === 'string' && one !== ''))
    .map(String);

/** Finds the ID in the answer to a write. Undefined if there is none. */
const findAnsweredId = (body: Record<string, unknown>): string | undefined => listAnsweredIds(body)[0];

/**
 * The answer to a POST that lists. A service that creates a record instead returns the answer to a create. `createdId` is
 * then the ID of that record, and the list is empty.
 */
export const postedListSchema = z.preprocess(
  (body) => {
    const createdId = isObject(body) && !('items' in body) ? findAnsweredId(body) : undefined;
    return createdId === undefined ? body : { items: [], total_items: 0, createdId };
  },
  recordListSchema.extend({ createdId: z.string().optional() }),
);

/** Spec: Records, "Get response". If the request names columns, the record may lack its ID. */
export const recordSchema = z.object({ item: objectSchema }).passthrough();

/** The answer to a create. `item` is the created record, if the answer shows it. */
export interface CreatedRecord {
  id: string;
  item?: ServiceRecord;
  [key: string]: unknown;
}

/**
 * Spec: Records, "Create response": the created record. Some services return only its ID, as `recordId`. An answer
 * without an ID is an error: a record was created, but its ID is unknown.
 */
export const createdRecordSchema = objectSchema.transform((body, context): CreatedRecord => {
  const id = findAnsweredId(body);
  if (id !== undefined) return { ...body, id, item: isObject(body.item) ? { ...body.item, id } : undefined };
  context.addIssue({
    code: 'custom',
    message: 'Expected the ID of the record under "item", "recordId" or "id"',
  });
  return z.NEVER;
});

/** Spec: Records, "Batch-update-check response". */
export const batchCheckSchema = z.object({ total: countSchema }).passthrough();

/** Spec: Webhook subscription. */
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

/** Spec: Webhooks. The spec does not define the envelope of the list. Open point: `envelopes`. */
export const subscriptionListSchema = createListSchema('items');

/** Spec: Webhooks. The response may lack the ID; the list of subscriptions contains it. */
export const newSubscriptionSchema = z.object({ id: idSchema.optional().catch(undefined) }).passthrough();

/** Parses the entries of a list of subscriptions, and leaves out entries of another form. */
export const parseSubscriptions = (entries: unknown[]): Subscription[] =>
  entries.flatMap((entry) => {
    const parsed = subscriptionSchema.safeParse(entry);
    return parsed.success ? [{ ...parsed.data, type: parsed.data.type.toUpperCase() }] : [];
  });
