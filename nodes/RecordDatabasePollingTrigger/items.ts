/** The last step of a poll. `createItems` converts the changes to the items that start the workflow. */
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { createItemBuilder } from '../n8n/trigger/triggerItem';
import {
  listTables,
  hashValue,
  readConnectedFields,
  type RecordValues,
  type Table,
  type TableSummary,
} from '../records';
import type { Client } from '../service';
import type { PollParameters, RecordParameters } from './form';
import type { Change } from './pollState';

/** What a poll returns. */
interface Found {
  changes: Change[];
  /** The table of the records; undefined for a log. */
  table: Table | undefined;
  /** `PollState.pollCount` with this poll; 0 for a test in the editor. */
  pollNumber: number;
}

/** Creates the items that start the workflow: a log entry with `_eventId`, or a change of a record. */
export async function createItems(
  client: Client,
  parameters: PollParameters,
  { changes, table, pollNumber }: Found,
): Promise<INodeExecutionData[]> {
  if (changes.length === 0) return [];
  const items =
    parameters.detection === 'log' || !table
      ? changes.map((change) => ({ ...change.values, _eventId: createEventId(change, 'log', pollNumber) }))
      : await createRecordItems(client, parameters, { changes, table, pollNumber });
  return items.map((json) => ({ json }) as INodeExecutionData);
}

const EVENT_ID_LENGTH = 16;

/**
 * Identifies a change by a hash. If n8n ends before it has saved the state of a poll, the next poll returns its changes
 * again with the same IDs. The number of the poll distinguishes two changes to the same values.
 */
const createEventId = ({ event, key, values }: Change, subject: string, pollNumber: number): string =>
  hashValue([event, subject, key, values, pollNumber], EVENT_ID_LENGTH);

/** Reads the name of the table: one request if the list is not cached. */
async function readTableName(client: Client, { id }: Table): Promise<string> {
  const find = (tables: TableSummary[]) => tables.find((one) => one.id === id);
  const found = find(await listTables(client)) ?? find(await listTables(client, { isFresh: true }));
  return found?.name ?? id;
}

async function createRecordItems(
  client: Client,
  form: RecordParameters,
  { changes, table, pollNumber }: Found & { table: Table },
): Promise<IDataObject[]> {
  const { id: tableId } = table;
  const slugs = form.columns.map((column) => table.field(column, 'Fields to Return').slug);
  const createItem = createItemBuilder(form, { slugs, table, client });
  const [tableName, timestamp] = [await readTableName(client, table), new Date().toISOString()];
  const connected = await readConnected(client, form, table, changes);
  return changes.map((change, index) => {
    const { event, values, changedFields, before } = change;
    const _eventId = createEventId(change, tableId, pollNumber);
    return createItem(
      { event, tableId, tableName, timestamp },
      values,
      {
        _changedFields: changedFields,
        _before: before,
        _eventId,
      },
      connected[index],
    ) as IDataObject;
  });
}

/** Reads the chosen fields of connected records. Without any, nothing is read. */
const readConnected = async (
  client: Client,
  { connectedFields, output, displayNames }: RecordParameters,
  table: Table,
  changes: Change[],
): Promise<RecordValues[]> =>
  connectedFields.length > 0
    ? readConnectedFields(
        client,
        table,
        connectedFields,
        changes.map(({ values }) => values),
        { simplified: output === 'record', displayNames },
      )
    : [];
