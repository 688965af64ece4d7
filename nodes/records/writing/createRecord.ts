/** Creates records, each at most once. */
import {
  ApiError,
  asThrown,
  type Client,
  type CreatedRecord,
  componentEndpoints,
  listErrorTexts,
  findWithPauses,
  isObject,
  recordEndpoints,
  type ServiceRecord,
} from '../../service';
import type { PayloadEntries } from '../fields/field';
import type { Table } from '../fields/table';
import { hashMatchKey, type MatchKey } from '../reading/matchKey';
import type { ComponentPath } from '../reading/readRecords';
import { getReader, getRunCache } from '../reading/recordReader';
import { createRecordBody } from './payload';
import { storeWriteTime } from './turns';
import { ensureFieldsToSendExist, verifyCreatedRecord } from './verifyWrite';

export interface RecordCreation {
  table: Table;
  entries: PayloadEntries;
  /** The parent of the record, sent as `connected_to` (spec: Linked record creation). */
  link?: Record<string, unknown>;
  /** Whether the response shows how each formula was calculated. */
  showsEquations?: boolean;
  headers?: Record<string, string>;
  /** The component through which the record is created. The response then contains no record. */
  component?: ComponentPath;
  /** The key by which other items look up the record. A look-up that began before the create ended is repeated. */
  key?: MatchKey;
  /** Looks for the record if the outcome of the create is unknown. */
  find?(): Promise<ServiceRecord | undefined>;
  /** Whether the service refuses a second record with the key. The create may then be sent again. */
  isUnique?: boolean;
  /** Called with the ID of the created record, before the response is checked. */
  onCreated?(id: string): void;
}

export interface CreateResult {
  action: 'created';
  /** The record as far as it is known (`buildWrittenRecord`). */
  record: ServiceRecord;
  equationLog?: unknown;
}

/**
 * Creates one record, and never a second one. With `isUnique`, sends it up to 5 times until the outcome is clear.
 * @example
 * const entries = encodeRecordValues({ company: 'Example Ltd' }, table, { timeZone });
 * await createRecord(client, { table, entries }); // { action: 'created', record: { id: 'K7pQ2xW9Lm', company: 'Example Ltd' } }
 * @throws ApiError with `isOutcomeUnknown` if the record may exist, and with `isRepeatable` too if the key is unique
 * @throws ApiError for a created record that lacks a sent field or a connected record
 */
export async function createRecord(client: Client, creation: RecordCreation): Promise<CreateResult> {
  const { table, entries, key, onCreated } = creation;
  const body = await createAtMostOnce(client, creation).finally(() => {
    if (key) storeWriteTime(client, ['matchKey', hashMatchKey(table, key)]);
  });
  if (key) getRunCache(client).createdByKey.set(hashMatchKey(table, key), { key, id: body.id });
  onCreated?.(body.id);
  const record = await verifyCreatedRecord(client, table, entries, body);
  getReader(client, table).uncacheRecordNames(record);
  return { action: 'created', record, equationLog: body.equationLog };
}

async function sendCreateRequest(client: Client, creation: RecordCreation): Promise<CreatedRecord> {
  const { table, entries, link, headers, showsEquations, component } = creation;
  await ensureFieldsToSendExist(client, table, entries);
  if (component) {
    // `isCreate` is not set: only in a POST to `/records`, some keys mean a link or a list (spec: Records).
    const call = { path: component, body: createRecordBody(entries, { table }) };
    return (await client.call(componentEndpoints.createRecord, call)).body;
  }
  const { body } = await client.call(recordEndpoints.create, {
    path: { dataTableId: table.id },
    query: showsEquations ? { showequationlog: true } : undefined,
    headers,
    body: createRecordBody(entries, { table, isCreate: true, link }),
  });
  getRunCache(client).lastWriteReturnedRecord = isObject(body.item);
  return body;
}

const MAX_CREATE_ATTEMPTS = 5;

/** Whether the service refused a value because another record has it in one of these fields (spec: Errors). */
export const isDuplicateError = (error: unknown, slugs: string[]): boolean =>
  error instanceof ApiError &&
  error.status === 422 &&
  slugs.some((slug) => listErrorTexts(error.fieldErrors[slug]).some((text) => /unique/i.test(text)));

/** If the outcome is unknown, looks for the record. @throws ApiError as `createRecord` does */
async function createAtMostOnce(client: Client, creation: RecordCreation): Promise<CreatedRecord> {
  const { find, isUnique } = creation;
  const lookUp = async () => {
    const record = await find?.();
    return record || isUnique ? { record } : undefined;
  };
  let failure: ApiError | undefined;
  for (let attempt = 1; attempt <= MAX_CREATE_ATTEMPTS; attempt++) {
    const result = await sendCreateRequest(client, creation).catch((error: unknown) => ({ error }));
    if (!('error' in result)) return result;
    const { error } = result;
    if (error instanceof ApiError && error.isOutcomeUnknown) failure ??= error;
    // Looks for the record even if this create was refused: an earlier one with an unknown outcome may have made it.
    if (!find || !failure) throw asThrown(error);
    const found = await findWithPauses(() => lookUp().catch(() => undefined), client);
    if (found?.record) return { id: found.record.id, item: found.record };
    if (!found) break;
  }
  throw asThrown(isUnique ? failure?.copyWith({ isRepeatable: true }) : failure);
}
