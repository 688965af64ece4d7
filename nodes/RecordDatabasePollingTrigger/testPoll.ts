import type { INodeExecutionData } from 'n8n-workflow';
import { fetchLogPage } from '../shared/kit/logs/readLog';
import { logEndpoints } from '../shared/model/endpoints/logs';
import { InputError } from '../shared/model/input/inputError';
import { asObject } from '../shared/model/input/isObject';
import type { Client } from '../shared/transport/client';
import type { Change } from './changes/change';
import type { PollParameters } from './form/parameters';
import { createItems } from './items';
import { resolveDateField } from './reading/dateField';
import { readNewest } from './reading/readSince';
import { RecordSource } from './reading/recordSource';

/** Number of items that a test in the editor shows. */
const TEST_ITEMS = 5;

/** Number of records that are read to select the items from. */
const TEST_PAGE_SIZE = 50;

const requireItems = (items: INodeExecutionData[], remedy: string): INodeExecutionData[] => {
  if (items.length > 0) return items;
  throw new InputError('Nothing was found that the trigger could return', remedy);
};

/**
 * Returns the newest records or log entries, for a test in the editor. It neither reads nor changes the state.
 * @throws InputError if there are none
 */
export async function readTestItems(
  client: Client,
  parameters: PollParameters,
): Promise<INodeExecutionData[]> {
  const now = new Date();
  if (parameters.detection === 'log') {
    const { items } = await fetchLogPage(client, logEndpoints[parameters.log], 1);
    const changes = items
      .slice(0, TEST_ITEMS)
      .map((entry): Change => ({ event: 'ENTRY', key: '', values: asObject(entry), sequence: 0 }));
    return requireItems(createItems(changes, parameters, undefined, now), 'The log is empty.');
  }

  const source = await RecordSource.create(client, parameters);
  const isByDate = parameters.detection === 'date';
  const field = resolveDateField(source.table, isByDate ? parameters.dateField : 'created_at');
  const records = await readNewest(source, field, TEST_PAGE_SIZE);
  const event = isByDate && field.slug !== 'created_at' ? 'UPSERT' : 'INSERT';
  const changes = records
    .filter((values) => source.matches(values))
    .slice(0, TEST_ITEMS)
    .map((values): Change => ({
      event,
      key: String(values.id),
      values,
      sequence: 0,
      ...(!isByDate && { changedFields: null }),
    }));
  return requireItems(
    createItems(changes, parameters, source.table, now),
    'Create a record in the table, or change the filter so that it matches one.',
  );
}
