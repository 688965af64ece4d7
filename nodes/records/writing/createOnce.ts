/**
 * Creates records, each at most once. `createRecord` sends a create. `createOnce` looks for the record if the answer is
 * lost. `createUniqueRecord` returns a record that has the unique value already.
 */
import {
  ApiError,
  asThrown,
  type Client,
  type CreatedRecord,
  findFieldTexts,
  findWithPauses,
  isObject,
  recordEndpoints,
  type ServiceRecord,
} from '../../service';
import type { Field, PayloadEntries } from '../fields/field';
import type { Table } from '../fields/table';
import { createSimilarError, describeKey, toMatchKey } from '../reading/matchKey';
import { getReader, getRun } from '../reading/recordReader';
import { createRecordBody } from './payload';
import { ensureFieldsExist } from './verifyWrite';

interface RecordCreation {
  table: Table;
  entries: PayloadEntries;
  /** `connected_to`: the parent that the record is linked to (spec: Linked record creation). */
  link?: Record<string, unknown>;
  /** Whether the response shows how each formula was calculated. */
  showsEquations?: boolean;
  headers?: Record<string, string>;
}

/**
 * Creates one record, and returns the body of the response. A create is never repeated after an unclear failure.
 * @example
 * const entries = encodeRecordValues({ company: 'Example Ltd' }, table, { timeZone });
 * const { id } = await createRecord(client, { table, entries }); // 'K7pQ2xW9Lm'
 * @throws ApiError with `isOutcomeUnknown` if the record may have been created
 */
export async function createRecord(client: Client, creation: RecordCreation): Promise<CreatedRecord> {
  const { table, entries, link, headers, showsEquations } = creation;
  await ensureFieldsExist(client, table, entries);
  const { body } = await client.call(recordEndpoints.create, {
    path: { dataTableId: table.id },
    query: showsEquations ? { showequationlog: true } : undefined,
    headers,
    body: createRecordBody(entries, { table, purpose: 'create', link }),
  });
  getRun(client).showsWritten = isObject(body.item);
  return body;
}

/** A field that the service keeps unique, and its value of a new record. */
interface UniqueKey {
  table: Table;
  field: Field;
  value: string | number;
}

interface Creation {
  /** Sends the create. */
  send(): Promise<CreatedRecord>;
  /** Looks for the record. */
  find(): Promise<ServiceRecord | undefined>;
  /**
   * With it, a record that `find` does not find does not exist, so the create can be sent again: the service refuses a
   * second record with the value.
   */
  unique?: UniqueKey;
}

interface CreateResult {
  /** The body of the response, or the record under `item` if it was found instead. */
  body: CreatedRecord;
  /** `found` if the record existed before. */
  action: 'created' | 'found';
}

/** How often the create of a record with a unique value is sent, before its outcome is reported as unknown. */
const MAX_ATTEMPTS = 5;

/** Whether the service refused a record because another one has the same value in one of the fields (spec: Errors). */
export const isDuplicateError = (error: unknown, slugs: string[]): boolean =>
  error instanceof ApiError &&
  error.status === 422 &&
  slugs.some((slug) => findFieldTexts(error.fieldErrors[slug]).some((text) => /unique/i.test(text)));

/** Whether a refusal (status 422) names no field. Its reason may be a value that another record has. */
const isUnexplainedRefusal = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 422 && Object.keys(error.fieldErrors).length === 0;

/**
 * Creates one record, and never a second one. If the answer to the create is lost, it looks for the record. Without
 * `unique` the create is sent once. With it, the create is sent again while the record does not exist, at most 5 times.
 * @throws the failure of the first create if the record is not found; with `unique` also an ApiError if another record
 *   has the value and cannot be found, because it may be hidden from the user
 */
export async function createOnce(client: Client, { send, find, unique }: Creation): Promise<CreateResult> {
  /** The record, or an empty object if there is none. Undefined if it is not known. */
  const lookUp = async (): Promise<{ record?: ServiceRecord } | undefined> => {
    const record = await find();
    return record || unique ? { record } : undefined;
  };
  let failure: unknown;
  let mayHaveCreated = false;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const result = await send().catch((error: unknown) => ({ error }));
    if (!('error' in result)) return { body: result, action: 'created' };
    const { error } = result;
    failure ??= error;
    const isUnknown = error instanceof ApiError && error.isOutcomeUnknown;
    const isDuplicate = unique !== undefined && isDuplicateError(error, [unique.field.slug]);
    const isUnexplained = unique !== undefined && isUnexplainedRefusal(error);
    if (!isUnknown && !isDuplicate && !isUnexplained) throw asThrown(error);
    mayHaveCreated ||= isUnknown;
    const found = await findWithPauses(() => lookUp().catch(() => undefined), client);
    if (found?.record)
      return {
        body: { id: found.record.id, item: found.record },
        action: mayHaveCreated ? 'created' : 'found',
      };
    if (!unique || isUnexplained) throw asThrown(error);
    if (!found) break;
    // The service has refused the value twice because another record has it, and no look-up finds that record.
    if (attempt > 1 && !mayHaveCreated) throw explainHiddenRecord(error as ApiError, unique);
  }
  throw failure instanceof ApiError ? failure.explain({ isRepeatable: true }) : asThrown(failure);
}

const explainHiddenRecord = (error: ApiError, { field, value }: UniqueKey): ApiError =>
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
 * Creates a record, or returns the record that has its value in a unique field. If the outcome of the create is unknown, or
 * the service refuses the value as a duplicate, it looks for the record before it calls `send` again: at most 5 times in
 * all. A create that is still running cannot make a second record, because the service refuses the value.
 * @example
 * const unique = { table, field: table.field('SKU', 'Fields'), value: 'A1' };
 * const send = () => createRecord(client, { table, entries });
 * const { body, action } = await createUniqueRecord(client, unique, send); // 'created', or 'found' if it existed before
 * @throws the failure of the first create if no later one has a known outcome (`isRepeatable`); ApiError if another record
 *   has the value and cannot be found
 */
export function createUniqueRecord(
  client: Client,
  unique: UniqueKey,
  send: () => Promise<CreatedRecord>,
): Promise<CreateResult> {
  const { table, field, value } = unique;
  const key = toMatchKey([{ table, field }], [value]);
  let similar: ApiError | undefined;
  const find = async () => {
    const answer = (await getReader(client, table).searchKeys([key], { limit: MAX_LISTED })).get(key.name);
    if (answer?.error !== undefined) throw asThrown(answer.error);
    const [other] = answer?.similar ?? [];
    if (other) similar = createSimilarError(key, other.id, describeKey(other, key));
    return answer?.records[0];
  };
  return createOnce(client, { send, find, unique }).catch((error: unknown) => {
    const isRefused = error instanceof ApiError && !error.isOutcomeUnknown;
    throw asThrown(isRefused ? (similar ?? error) : error);
  });
}
