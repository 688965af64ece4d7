/**
 * Records that are saved through a component of a page (spec: Layouts, pages and components). `saveThroughComponent` creates
 * or updates one. `saveRawThroughComponent` does so where the table of the component is not known.
 */
import { type Client, componentEndpoints, type ServiceRecord } from '../../service';
import type { RecordValues } from '../fields/recordValues';
import type { ComponentPath } from '../reading/readRecords';
import { describeWritten } from '../reading/writtenRecord';
import { createRecordBody } from './payload';
import { type RecordUpdate, type UpdateResult, updateRecord } from './updateRecord';
import { ensureSameRecord } from './verifyWrite';

interface ComponentSave extends Omit<RecordUpdate, 'recordId' | 'target'> {
  /** The record to update. A new one is created without it. */
  recordId?: string;
}

interface CreatedResult extends Partial<Pick<UpdateResult, 'before' | 'changed' | 'changedConnections'>> {
  action: 'created';
  record: ServiceRecord;
}

/**
 * Creates or updates a record through a component. The answers show no record. An update reads the record first, as
 * `updateRecord` does.
 * @example
 * const path = { pageId: 'P4m8Zq', componentId: 'C2k9Xw' };
 * await saveThroughComponent(client, path, { table, entries, timeZone: 'UTC' });
 * // { action: 'created', record: { id: 'K7pQ2xW9Lm', … } }
 * @throws ApiError as `createRecord` and `updateRecord` do; InputError for an update as `updateRecord` does
 */
export async function saveThroughComponent(
  client: Client,
  path: ComponentPath,
  { recordId, ...save }: ComponentSave,
): Promise<UpdateResult | CreatedResult> {
  const { table, entries } = save;
  if (recordId !== undefined) {
    return updateRecord(client, {
      ...save,
      recordId,
      target: {
        endpoint: componentEndpoints.updateRecord,
        path,
        createBody: (all, state) => createRecordBody(all, { ...state, purpose: 'save', id: recordId }),
      },
    });
  }
  // Only a create of Records takes a link or lists records (spec: Records), so a column may have any slug here.
  const id = await create(client, path, createRecordBody(entries, { table, purpose: 'save' }));
  return { action: 'created', record: describeWritten({ table, id, entries }) };
}

/** @returns the ID of the new record */
async function create(client: Client, path: ComponentPath, body: object): Promise<string> {
  return (await client.call(componentEndpoints.createRecord, { path, body })).body.id;
}

/**
 * Saves values as they are: without the table of the component, it is not known how to encode them, and a record cannot be
 * read before it is updated.
 * @example
 * await saveRawThroughComponent(client, path, { company: 'Mill' }); // { action: 'created', id: 'K7pQ2xW9Lm' }
 * @param recordId the record to update, which is sent in the body; a new one is created without it
 * @throws ApiError for a failed request, and for an answer that shows another record
 */
export async function saveRawThroughComponent(
  client: Client,
  path: ComponentPath,
  values: RecordValues,
  recordId?: string,
): Promise<{ action: 'created' | 'updated'; id: string }> {
  if (recordId === undefined) return { action: 'created', id: await create(client, path, values) };
  const call = { path, body: { id: recordId, ...values } };
  const { body } = await client.call(componentEndpoints.updateRecord, call);
  ensureSameRecord(recordId, body);
  return { action: 'updated', id: recordId };
}
