import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { shapeRecord } from '../shared/model/records/displayNames';
import type { Table } from '../shared/model/records/table';
import { type Change, createEventId } from './changes/change';
import type { PollParameters } from './form/parameters';

type RecordForm = Exclude<PollParameters, { detection: 'log' }>;

function createRecordJson(change: Change, form: RecordForm, table: Table, timestamp: string) {
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
