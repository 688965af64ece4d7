import { findWithPauses } from '../concurrency/wait';
import { ApiError } from '../errors/apiError';
import { findFieldTexts } from '../errors/serviceErrors';
import type { Field } from '../fields/field';
import type { Table } from '../fields/table';
import type { HttpClient } from '../http/client';
import { asThrown } from '../input/inputError';
import type { CreatedRecord, ServiceRecord } from '../responses/schemas';
import { findByKeys, toMatchKey } from './findByValues';

/** A field that the service keeps unique, and its value of a new record. */
interface UniqueKey {
  table: Table;
  field: Field;
  value: string | number;
}

interface Creation {
  /** Sends the create. */
  send(): Promise<CreatedRecord>;
  /** Finds the record. A failure, and without `unique` also nothing, leaves open whether it exists. */
  find(): Promise<ServiceRecord | undefined>;
  /** With it, a create that was not carried out is sent again, because the service refuses a second record. */
  unique?: UniqueKey;
}

interface CreateResult {
  /** The body of the response, or the record under `item` if it was found instead. */
  body: CreatedRecord;
  /** `found` if the record existed before. */
  action: 'created' | 'found';
}

/** Maximum number of attempts to create a record with a unique value before its outcome is reported as unknown. */
const MAX_ATTEMPTS = 5;

/** Whether the service refused a record because another one has the same value in one of the fields (spec: Errors). */
export const isDuplicateError = (error: unknown, slugs: string[]): boolean =>
  error instanceof ApiError &&
  error.status === 422 &&
  slugs.some((slug) => findFieldTexts(error.fieldErrors[slug]).some((text) => /unique/i.test(text)));

/** Whether a response has status 422 but no messages by field. The reason may be a duplicate value. */
const isBrokenRefusal = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 422 && Object.keys(error.fieldErrors).length === 0;

/**
 * Creates a record once: when the answer to the create is lost, the record is looked for, and not created again.
 * @throws the failure of the create, if its outcome is known or the record is not found
 */
export async function createOnce(
  client: HttpClient,
  { send, find, unique }: Creation,
): Promise<CreateResult> {
  const look = async () => (await find()) ?? (unique ? 'nothing' : undefined);
  let failure: unknown;
  // Whether an earlier attempt may have created the record.
  let mayBeOwn = false;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const result = await send().catch((error: unknown) => ({ error }));
    if (!('error' in result)) return { body: result, action: 'created' };
    const { error } = result;
    failure ??= error;
    const isUnknown = error instanceof ApiError && error.isOutcomeUnknown;
    const isDuplicate = unique !== undefined && isDuplicateError(error, [unique.field.slug]);
    const isBroken = unique !== undefined && isBrokenRefusal(error);
    if (!isUnknown && !isDuplicate && !isBroken) throw asThrown(error);
    mayBeOwn ||= isUnknown;
    const found = await findWithPauses(() => look().catch(() => undefined), client);
    if (typeof found === 'object') return { body: { item: found }, action: mayBeOwn ? 'created' : 'found' };
    if (!unique || isBroken) throw asThrown(error);
    if (found === undefined) break;
    // A record that the look-up does not show has the value.
    if (isDuplicate && attempt > 1 && !mayBeOwn) throw createHiddenError(error as ApiError, unique);
  }
  throw failure instanceof ApiError ? failure.explain({ isRepeatable: true }) : asThrown(failure);
}

const createHiddenError = (error: ApiError, { field, value }: UniqueKey) =>
  error.explain({
    message: `Another record has ${JSON.stringify(value)} in "${field.name}", and it cannot be found`,
    description: `Nothing was created. The record may be hidden from this user. ${error.description}`,
  });

/**
 * Maximum number of records that a look-up reads. One record has a unique value, and a service that compares without
 * case or accents returns a few more. A service that ignores the condition would return the whole table.
 */
const MAX_LISTED = 50;

/**
 * Creates a record, unless one has its value in a unique field: that record is returned. When the outcome is unknown, or
 * the service refuses the value as a duplicate, it looks for the record before it calls `send` again. The field is unique
 * in the service, so an attempt that is still running cannot create a second record.
 * @example
 * const unique = { table, field: table.field('SKU', 'Columns'), value: 'A1' };
 * const send = () => client.records.create({ tableId: table.id, entries });
 * const { body, action } = await client.records.createUnique(unique, send); // 'created', or 'found' if it existed before
 * @throws the failure of the first attempt, when no later one gives a definite result
 */
export function createUniqueRecord(
  client: HttpClient,
  unique: UniqueKey,
  send: () => Promise<CreatedRecord>,
): Promise<CreateResult> {
  const { table, field, value } = unique;
  const key = toMatchKey([{ ref: { table, field }, value }]);
  const find = async () => {
    const { records = [], listed = [] } =
      (await findByKeys(client, table, [key], MAX_LISTED)).get(key.text) ?? {};
    const [record] = records;
    // A service that ignores the condition returns any record, and so may hide the one with the value.
    if (!record && listed.length > 0) throw new Error('unclear');
    return record;
  };
  return createOnce(client, { send, find, unique });
}
