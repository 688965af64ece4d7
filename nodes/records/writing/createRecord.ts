import {
  ApiError,
  asThrown,
  type Client,
  type CreatedRecord,
  componentEndpoints,
  listFieldTexts,
  findWithPauses,
  isObject,
  recordEndpoints,
  type ServiceRecord,
} from '../../service';
import type { Field, PayloadEntries } from '../fields/field';
import type { Table } from '../fields/table';
import { createSimilarKeyError, describeKey, hashMatchKey, MatchKey } from '../reading/matchKey';
import type { ComponentPath } from '../reading/readRecords';
import { getReader, getReadings } from '../reading/recordReader';
import { createRecordBody } from './payload';
import { noteWrite } from './turns';
import { ensureFieldsExist, verifyCreated } from './verifyWrite';

export interface RecordCreation {
  table: Table;
  entries: PayloadEntries;
  /** `connected_to`: the parent of the record (spec: Linked record creation). */
  link?: Record<string, unknown>;
  /** Whether the response shows how each formula was calculated. */
  showsEquations?: boolean;
  headers?: Record<string, string>;
  /** The component through which the record is created. The response then contains no record. */
  component?: ComponentPath;
  /** The key by which other items look the record up. Look-ups that began before the create ended are repeated. */
  key?: MatchKey;
  /** Looks for the record after a lost response. */
  find?(): Promise<ServiceRecord | undefined>;
  /** A value that only one record may have. A record that already has the value is returned in place of a new one. */
  unique?: { field: Field; value: string | number };
  /** Called after the create, before the response is checked. */
  onCreated?(id: string): void;
}

export interface CreateResult {
  /** `found`: a record with the unique value existed before. */
  action: 'created' | 'found';
  /** The record as far as it is known (`describeWritten`). */
  record: ServiceRecord;
  /** How each formula was calculated. */
  equationLog?: unknown;
}

/**
 * Creates one record, and never a second one. Without `unique`, the create is sent once. With `unique`, the service refuses
 * a second record with the value, so the create is sent up to 5 times: until its outcome is clear, or a record with the
 * value is found.
 * @example
 * const entries = encodeRecordValues({ company: 'Example Ltd' }, table, { timeZone });
 * await createRecord(client, { table, entries }); // { action: 'created', record: { id: 'K7pQ2xW9Lm', company: 'Example Ltd' } }
 * @throws ApiError with `isOutcomeUnknown` if the record may have been created; with `isRepeatable` if it has a unique
 *   value
 * @throws ApiError for a created record that lacks a sent field or a connected record
 * @throws ApiError for a unique value of a record that cannot be found: it may be hidden from the user
 */
export async function createRecord(client: Client, creation: RecordCreation): Promise<CreateResult> {
  const { table, entries, key, onCreated } = creation;
  const { action, body } = await createOnce(client, creation).finally(() => {
    if (key) noteWrite(client, ['matchKey', hashMatchKey(table, key)]);
  });
  if (action === 'found') return { action, record: body.item ?? body };
  if (key) getReadings(client).created.set(hashMatchKey(table, key), { key, id: body.id });
  onCreated?.(body.id);
  const record = await verifyCreated(client, table, entries, body);
  getReader(client, table).deleteFoundNames(record);
  return { action, record, equationLog: body.equationLog };
}

async function sendCreate(client: Client, creation: RecordCreation): Promise<CreatedRecord> {
  const { table, entries, link, headers, showsEquations, component } = creation;
  await ensureFieldsExist(client, table, entries);
  if (component) {
    // Some slugs mean a link or a list in a create of Records (spec: Records). In a component, they are fields.
    const call = { path: component, body: createRecordBody(entries, { table, purpose: 'save' }) };
    return (await client.call(componentEndpoints.createRecord, call)).body;
  }
  const { body } = await client.call(recordEndpoints.create, {
    path: { dataTableId: table.id },
    query: showsEquations ? { showequationlog: true } : undefined,
    headers,
    body: createRecordBody(entries, { table, purpose: 'create', link }),
  });
  getReadings(client).showsWritten = isObject(body.item);
  return body;
}

/** Maximum number of creates for one unique value. */
const MAX_ATTEMPTS = 5;

/** Whether the service refused a record because another record has the same value in one of the fields (spec: Errors). */
export const isDuplicateError = (error: unknown, slugs: string[]): boolean =>
  error instanceof ApiError &&
  error.status === 422 &&
  slugs.some((slug) => listFieldTexts(error.fieldErrors[slug]).some((text) => /unique/i.test(text)));

/** Whether a refusal (status 422) names no field. Another record may then have the unique value. */
const isUnexplainedRefusal = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 422 && Object.keys(error.fieldErrors).length === 0;

/**
 * Maximum number of records that a look-up of a unique value reads. A service that ignores the condition would return the
 * whole table.
 */
const MAX_LISTED = 50;

/**
 * Sends a create, and looks for the record if its outcome is unknown.
 * @returns the body of the response. `item` is the record, if it was found instead
 * @throws ApiError as `createRecord` does
 */
async function createOnce(
  client: Client,
  creation: RecordCreation,
): Promise<Pick<CreateResult, 'action'> & { body: CreatedRecord }> {
  const { table, unique } = creation;
  const key = unique && new MatchKey([{ table, field: unique.field }], [unique.value]);
  // `similar`: a record whose unique value differs only in case.
  const lookUp = async () => {
    const record = await creation.find?.();
    if (!key) return record && { record };
    const found = (
      await getReader(client, table).searchKeys([key], { limit: MAX_LISTED, isFresh: true })
    ).get(key.name);
    if (found?.error !== undefined) throw asThrown(found.error);
    return { record: found?.records[0], similar: found?.similar[0] };
  };
  let failure: unknown;
  let mayHaveCreated = false;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const result = await sendCreate(client, creation).catch((error: unknown) => ({ error }));
    if (!('error' in result)) return { body: result, action: 'created' };
    const { error } = result;
    failure ??= error;
    const isUnknown = error instanceof ApiError && error.isOutcomeUnknown;
    const isUnexplained = unique !== undefined && isUnexplainedRefusal(error);
    const isDuplicate = unique !== undefined && isDuplicateError(error, [unique.field.slug]);
    const isFindable = unique !== undefined || creation.find !== undefined;
    if (!isFindable || (!isUnknown && !isDuplicate && !isUnexplained)) throw asThrown(error);
    mayHaveCreated ||= isUnknown;
    const found = await findWithPauses(() => lookUp().catch(() => undefined), client);
    if (found?.record)
      return {
        body: { id: found.record.id, item: found.record },
        action: mayHaveCreated ? 'created' : 'found',
      };
    const other = key && found?.similar;
    const similar = other && createSimilarKeyError(key, other.id, describeKey(other, key));
    if (!unique || isUnexplained || (similar && !mayHaveCreated)) throw asThrown(similar ?? error);
    if (!found) break;
    // The service has refused the value twice, and no look-up has found the record that has it.
    if (attempt > 1 && !mayHaveCreated) throw explainHiddenRecord(error as ApiError, unique);
  }
  throw failure instanceof ApiError ? failure.explain({ isRepeatable: true }) : asThrown(failure);
}

const explainHiddenRecord = (
  error: ApiError,
  { field, value }: NonNullable<RecordCreation['unique']>,
): ApiError =>
  error.explain({
    message: `Another record has ${JSON.stringify(value)} in "${field.name}", and it cannot be found`,
    description: `Nothing was created. The record may be hidden from this user. ${error.description}`,
  });
