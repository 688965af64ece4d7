import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import {
  createRecordShaper,
  getCachedTables,
  hashText,
  type Table,
  type TableSummary,
  toCanonicalJson,
} from '../records';
import type { Client } from '../service';
import type { PollParameters, RecordParameters } from './form';
import type { Change } from './pollState';

/* The last step of a poll: changes become the items that start the workflow. */

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
  const context = { pollNumber, timestamp: new Date().toISOString() };
  const createJson =
    parameters.detection === 'log' || !table
      ? (change: Change) => ({ ...change.values, _eventId: createEventId(change, 'log', context) })
      : createRecordItems(client, parameters, await readItemTable(client, parameters, table), context);
  return changes.map((change) => ({ json: createJson(change) as IDataObject }));
}

const EVENT_ID_LENGTH = 16;

/** What the items of one poll have in common. */
interface ItemContext {
  pollNumber: number;
  /** ISO 8601. */
  timestamp: string;
}

/**
 * Identifies a change by a hash. If n8n ends before it has saved the state of a poll, the next poll returns its changes
 * again with the same IDs. The number of the poll distinguishes two changes to the same values.
 */
const createEventId = (
  { event, key, values }: Change,
  subject: string,
  { pollNumber }: ItemContext,
): string => hashText(toCanonicalJson([event, subject, key, values, pollNumber]), EVENT_ID_LENGTH);

/** The table of the items: its fields, and its name for the output Record Only. */
interface ItemTable {
  table: Table;
  name: string;
}

/** The table of the items. Its name is read only if their output has it: one request more. */
async function readItemTable(client: Client, { output }: RecordParameters, table: Table): Promise<ItemTable> {
  if (output === 'event') return { table, name: '' };
  const find = (tables: TableSummary[]) => tables.find(({ id }) => id === table.id);
  const found = find(await getCachedTables(client)) ?? find(await getCachedTables(client, { isFresh: true }));
  return { table, name: found?.name ?? table.id };
}

function createRecordItems(
  client: Client,
  form: RecordParameters,
  { table, name }: ItemTable,
  context: ItemContext,
) {
  const { tableId, output, displayNames } = form;
  const slugs = form.columns.map((column) => table.field(column, 'Fields to Keep').slug);
  const shape = createRecordShaper({ slugs, displayNames, simplified: output === 'record', client }, table);
  return (change: Change) => {
    const { event, values, changedFields } = change;
    const notes = {
      ...(changedFields !== undefined && { _changedFields: changedFields }),
      _eventId: createEventId(change, tableId, context),
    };
    return output === 'record'
      ? { _event: event, _table: name, ...shape(values), ...notes }
      : { event, tableId, record: shape(values), timestamp: context.timestamp, ...notes };
  };
}
