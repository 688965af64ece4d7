import { type Client, componentEndpoints, type ServiceRecord } from '../../service';
import type { ComponentPath } from '../reading/readRecords';
import { describeWritten } from '../reading/writtenRecord';
import { createRecordBody } from './payload';
import { type RecordUpdate, type UpdateResult, updateRecord } from './updateRecord';

interface ComponentSave extends Omit<RecordUpdate, 'recordId' | 'target'> {
  /** The record to update. A new one is created without it. */
  recordId?: string;
}

interface CreatedResult extends Partial<Pick<UpdateResult, 'before' | 'changed' | 'changedConnections'>> {
  action: 'created';
  record: ServiceRecord;
}

/**
 * Creates or updates a record through a component (spec: Layouts, pages and components). The answers show no record. An update reads the record first, as
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
  const call = { path, body: createRecordBody(entries, { table, purpose: 'save' }) };
  const { id } = (await client.call(componentEndpoints.createRecord, call)).body;
  return { action: 'created', record: describeWritten({ table, id, entries }) };
}
