/**
 * A test of the polling trigger in the editor. `readTestItems` returns the newest records or log entries in place of
 * changes.
 */
import type { INodeExecutionData } from 'n8n-workflow';
import { asObject, type Client, InputError, readLog } from '../service';
import type { PollParameters } from './form';
import { createItems } from './items';
import type { Change } from './pollState';
import { CREATED_AT, findDateField, getDateEvent, readNewest } from './recordsByDate';
import { RecordSource } from './recordSource';

/** Number of items that a test in the editor shows. */
const TEST_ITEMS = 5;

/** Number of records that are read to select the items from. */
const TEST_PAGE_SIZE = 50;

/**
 * Returns the newest records or log entries, for a test in the editor. It neither reads nor changes the state.
 * @throws InputError if there are none
 */
export async function readTestItems(
  client: Client,
  parameters: PollParameters,
): Promise<INodeExecutionData[]> {
  if (parameters.detection === 'log') {
    const { entries } = await readLog(client, { log: parameters.log, limit: TEST_ITEMS });
    const changes = entries.map((entry): Change => ({ event: 'ENTRY', key: '', values: asObject(entry) }));
    const items = await createItems(client, parameters, { changes, table: undefined, pollNumber: 0 });
    return requireItems(items, 'The log is empty.');
  }

  const source = await RecordSource.create(client, parameters);
  const isByDate = parameters.detection === 'date';
  const field = findDateField(source.table, isByDate ? parameters.dateField : CREATED_AT);
  const records = await readNewest(source, field, TEST_PAGE_SIZE);
  const changes = records
    .filter((values) => source.matches(values))
    .slice(0, TEST_ITEMS)
    .map((values): Change => ({
      event: getDateEvent(field),
      key: String(values.id),
      values,
      ...(!isByDate && { changedFields: null }),
    }));
  const items = await createItems(client, parameters, { changes, table: source.table, pollNumber: 0 });
  return requireItems(items, 'Create a record in the table, or change the filter so that it matches one.');
}

const requireItems = (items: INodeExecutionData[], remedy: string): INodeExecutionData[] => {
  if (items.length > 0) return items;
  throw new InputError('Nothing was found that the trigger could return', remedy);
};
