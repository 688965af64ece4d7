import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { Client } from '../client';
import { logEndpoints } from '../client/endpoints/catalogue';
import type { Table } from '../client/fields/table';
import { InputError } from '../client/input/inputError';
import { asObject } from '../client/input/values';
import { createRecordShaper } from '../client/records/displayNames';
import { hashText, toCanonicalJson } from '../client/records/hashing';
import type { TableSummary } from '../client/records/schema';
import type { PollParameters, RecordParameters } from './parameters';
import type { Change } from './pollState';
import { readNewest } from './readByDate';
import { findDateField, getDateEvent } from './readChanges';
import { RecordSource } from './recordSource';

const EVENT_ID_LENGTH = 16;

/**
 * Returns a hash of the change. A repeated change has the same ID. The sequence distinguishes two changes to the same
 * values.
 */
const createEventId = ({ event, key, values, sequence }: Change, subject: string): string =>
  hashText(toCanonicalJson([event, subject, key, values, sequence]), EVENT_ID_LENGTH);

/** The table of the items: its fields, and its name for the output Record Only. */
export interface ItemTable {
  table: Table;
  name: string;
}

/** Returns the table of the items, with its name if their output has it. */
export async function readItemTable(
  client: Client,
  form: PollParameters,
  table: Table | undefined,
): Promise<ItemTable | undefined> {
  if (!table) return undefined;
  if (form.detection === 'log' || form.output === 'event') return { table, name: '' };
  const find = (tables: TableSummary[]) => tables.find(({ id }) => id === table.id);
  const found = find(await client.tables.list()) ?? find(await client.tables.list({ isFresh: true }));
  return { table, name: found?.name ?? table.id };
}

/** Returns a function that creates the item of a change in the form that the parameter Output names. */
function createRecordItems(form: RecordParameters, { table, name }: ItemTable, timestamp: string) {
  const { tableId, output, displayNames } = form;
  const slugs = form.columns.map((column) => table.field(column, 'Fields to Keep').slug);
  const shape = createRecordShaper({ slugs, displayNames, simplified: output === 'record' }, table);
  return (change: Change) => {
    const { event, values, changedFields } = change;
    const notes = {
      ...(changedFields !== undefined && { _changedFields: changedFields }),
      _eventId: createEventId(change, tableId),
    };
    return output === 'record'
      ? { _event: event, _table: name, ...shape(values), ...notes }
      : { event, tableId, record: shape(values), timestamp, ...notes };
  };
}

/**
 * Creates the items that start the workflow: a log entry with `_eventId`, or a change of a record.
 * @param table undefined for log entries
 */
export function createItems(
  changes: Change[],
  parameters: PollParameters,
  table: ItemTable | undefined,
  now: Date,
): INodeExecutionData[] {
  const createJson =
    parameters.detection === 'log' || !table
      ? (change: Change) => ({ ...change.values, _eventId: createEventId(change, 'log') })
      : createRecordItems(parameters, table, now.toISOString());
  return changes.map((change) => ({ json: createJson(change) as IDataObject }));
}

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
    const { items } = await client.logs.readPage(logEndpoints[parameters.log], 1);
    const changes = items
      .slice(0, TEST_ITEMS)
      .map((entry): Change => ({ event: 'ENTRY', key: '', values: asObject(entry), sequence: 0 }));
    return requireItems(createItems(changes, parameters, undefined, now), 'The log is empty.');
  }

  const source = await RecordSource.create(client, parameters);
  const isByDate = parameters.detection === 'date';
  const field = findDateField(source.table, isByDate ? parameters.dateField : 'created_at');
  const records = await readNewest(source, field, TEST_PAGE_SIZE);
  const changes = records
    .filter((values) => source.matches(values))
    .slice(0, TEST_ITEMS)
    .map((values): Change => ({
      event: getDateEvent(field),
      key: String(values.id),
      values,
      sequence: 0,
      ...(!isByDate && { changedFields: null }),
    }));
  return requireItems(
    createItems(changes, parameters, await readItemTable(client, parameters, source.table), now),
    'Create a record in the table, or change the filter so that it matches one.',
  );
}
