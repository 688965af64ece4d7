import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { logEndpoints } from '../client/endpoints/catalogue';
import type { Table } from '../client/fields/table';
import type { Client } from '../client/http/client';
import { InputError } from '../client/input/inputError';
import { asObject } from '../client/input/values';
import { fetchLogPage } from '../client/logs/readLog';
import { shapeRecord } from '../client/records/displayNames';
import { hashText, toCanonicalJson } from '../client/records/hashing';
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

function createRecordJson(change: Change, form: RecordParameters, table: Table, timestamp: string) {
  const slugs = form.columns.map((name) => table.field(name, 'Fields to Keep').slug);
  const record = shapeRecord(change.values, { slugs, displayNames: form.displayNames }, table);
  const { event, changedFields } = change;
  const notes = {
    ...(changedFields !== undefined && { _changedFields: changedFields }),
    _eventId: createEventId(change, form.tableId),
  };
  if (form.output === 'record') return { ...record, _event: event, ...notes };
  return { event, tableId: form.tableId, record, timestamp, ...notes };
}

/**
 * Creates the items that start the workflow: a log entry with `_eventId`, or a change of a record in the form that the
 * parameter Output names.
 */
export function createItems(
  changes: Change[],
  parameters: PollParameters,
  table: Table | undefined,
  now: Date,
): INodeExecutionData[] {
  const timestamp = now.toISOString();
  return changes.map((change) => {
    const json =
      parameters.detection === 'log' || !table
        ? { ...change.values, _eventId: createEventId(change, 'log') }
        : createRecordJson(change, parameters, table, timestamp);
    return { json: json as IDataObject };
  });
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
    const { items } = await fetchLogPage(client, logEndpoints[parameters.log], 1);
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
    createItems(changes, parameters, source.table, now),
    'Create a record in the table, or change the filter so that it matches one.',
  );
}
