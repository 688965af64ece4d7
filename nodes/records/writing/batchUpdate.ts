/** Updates all records that meet given conditions, with one request (spec: batch-update). */
import {
  ApiError,
  asObject,
  type Client,
  explainUncertainWrite,
  InputError,
  mayHaveWritten,
  recordEndpoints,
} from '../../service';
import type { PayloadEntries } from '../fields/field';
import { describeChange } from './currentValues';
import { BATCH_REMEDY, type SelectedRecords, type RecordSelection, selectRecords } from './selectRecords';
import { checkFieldsLater } from './verifyWrite';

/**
 * A service that ignored the conditions would change every record, and its response would not show which ones. So the
 * records are read first with the same conditions, and the service is requested to count them.
 * @throws InputError as `selectRecords` does, and if the service counts another number of records
 */
export async function selectBatchRecords(
  client: Client,
  table: SelectedRecords['table'],
  selection: Omit<RecordSelection, 'isSymbolic'>,
): Promise<SelectedRecords> {
  const selected = await selectRecords(client, table, { ...selection, isSymbolic: true });
  const { conditions, records } = selected;
  const { body } = await client.call(recordEndpoints.batchUpdateCheck, {
    path: { dataTableId: table.id },
    body: { filters: { items: conditions } },
  });
  if (body.total === records.length) return selected;
  throw new InputError(
    `Batch Update would change ${body.total} records, and ${records.length} meet the conditions`,
    `Nothing was changed. The service did not read the conditions, the user may not read all records, or records changed meanwhile. Run it again, or: ${BATCH_REMEDY}`,
  );
}

interface BatchUpdateResult {
  response?: unknown;
  /** The changes of the records (`describeChange`). Empty if certainly nothing was changed. */
  changes: Array<ReturnType<typeof describeChange>>;
  error?: unknown;
}

/**
 * @example
 * const batch = await selectBatchRecords(client, table, { filter, timeZone: 'UTC' });
 * const { response, changes } = await sendBatchUpdate(client, batch, [['status', 'lead']]);
 * response; // { type: 'success', total: 12 }
 * changes; // [{ action: 'updated', record: { status: 'lead', … }, before: { status: 'new', … }, changed: ['status'] }, …]
 * @throws nothing: a failure is in the result
 */
export async function sendBatchUpdate(
  client: Client,
  { table, conditions, records }: SelectedRecords,
  entries: PayloadEntries,
): Promise<BatchUpdateResult> {
  const call = {
    path: { dataTableId: table.id },
    body: {
      conditions: [{ items: conditions }],
      values: entries.map(([field_id, value]) => ({ field_id, value, val_type: 'normal' })),
    },
  };
  const changes = records.map((record) => describeChange(table, record, entries));
  try {
    const { body } = await client.call(recordEndpoints.batchUpdate, call);
    checkFieldsLater(client, table, entries, records.length);
    const total = Number(asObject(body).total ?? records.length);
    // The service may leave out records that already have the values, so its count may be smaller.
    const least = changes.filter(({ action }) => action === 'updated').length;
    if (total > records.length || total < least) {
      const error = new ApiError({
        message: `The service changed ${total} records, and ${records.length} met the conditions`,
        description:
          'It did not read the conditions, or records changed meanwhile. Check the records of the table.',
      });
      return { response: body, changes, error };
    }
    return { response: body, changes };
  } catch (error) {
    const advice = `${records.length} records met the conditions before. Check them before you run it again.`;
    return { changes: mayHaveWritten(error) ? changes : [], error: explainUncertainWrite(error, advice) };
  }
}
