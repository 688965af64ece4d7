/**
 * The items that start the workflow. `createItems` converts the changes of a poll, `readTestItems` returns the newest
 * records or log entries for a test in the editor.
 */
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { findTableName } from '../n8n/trigger/startup';
import { createItemBuilder } from '../n8n/trigger/triggerItem';
import { hashValue, readConnectedFields, type RecordValues, type Table } from '../records';
import { asObject, type Client, InputError, readLog } from '../service';
import { findDateField, getDateEvent } from './byDate';
import type { PollParameters, RecordParameters } from './form';
import { type Change, createPollState } from './pollState';
import { CREATED_AT, RecordSource } from './recordSource';
import type { Found } from './watch';

/** Creates the items: a log entry with `_eventId`, or a change of a record. */
export async function createItems(
  client: Client,
  parameters: PollParameters,
  { changes, table, state: { pollCount } }: Found,
): Promise<INodeExecutionData[]> {
  if (changes.length === 0) return [];
  const items =
    parameters.detection === 'log' || !table
      ? changes.map((change) => ({ ...change.values, _eventId: createEventId(change, 'log', pollCount) }))
      : await createRecordItems(client, parameters, changes, table, pollCount);
  return items.map((json) => ({ json }) as INodeExecutionData);
}

const EVENT_ID_LENGTH = 16;

/**
 * Identifies a change by a hash. If n8n ends before it has saved the state of a poll, the next poll returns its changes
 * again with the same IDs. The number of the poll distinguishes two changes to the same values.
 */
const createEventId = ({ event, key, values }: Change, subject: string, pollCount: number): string =>
  hashValue([event, subject, key, values, pollCount], EVENT_ID_LENGTH);

async function createRecordItems(
  client: Client,
  form: RecordParameters,
  changes: Change[],
  table: Table,
  pollCount: number,
): Promise<IDataObject[]> {
  const { id: tableId } = table;
  const { columns, connectedFields, output, displayNames } = form;
  const slugs = columns.map((column) => table.field(column, 'Fields to Return').slug);
  const createItem = createItemBuilder(form, { slugs, table, client });
  const [tableName, timestamp] = [await findTableName(client, tableId), new Date().toISOString()];
  const records = changes.map(({ values }) => values);
  const shape = { simplified: output === 'record', displayNames };
  const connected: RecordValues[] =
    connectedFields.length > 0
      ? await readConnectedFields(client, table, connectedFields, records, shape)
      : [];
  return changes.map((change, index) => {
    const { event, values, changedFields: _changedFields, before: _before } = change;
    const notes = { _changedFields, _before, _eventId: createEventId(change, tableId, pollCount) };
    return createItem(
      { event, tableId, tableName, timestamp },
      values,
      notes,
      connected[index],
    ) as IDataObject;
  });
}

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
  const state = createPollState('');
  if (parameters.detection === 'log') {
    const { entries } = await readLog(client, { log: parameters.log, limit: TEST_ITEMS });
    const changes = entries.map((entry): Change => ({ event: 'ENTRY', key: '', values: asObject(entry) }));
    return requireItems(await createItems(client, parameters, { changes, state }), 'The log is empty.');
  }

  const source = await RecordSource.create(client, parameters);
  const { table } = source;
  const isByDate = parameters.detection === 'date';
  const field = findDateField(table, isByDate ? parameters.dateField : CREATED_AT);
  const changes = (await source.readNewest(field, TEST_PAGE_SIZE))
    .filter((values) => source.matches(values))
    .slice(0, TEST_ITEMS)
    .map((values): Change => ({
      event: getDateEvent(field),
      key: values.id,
      values,
      ...(!isByDate && { changedFields: null }),
    }));
  const items = await createItems(client, parameters, { changes, table, state });
  return requireItems(items, 'Create a record in the table, or change the filter so that it matches one.');
}

const requireItems = (items: INodeExecutionData[], remedy: string): INodeExecutionData[] => {
  if (items.length > 0) return items;
  throw new InputError('Nothing was found that the trigger could return', remedy);
};
