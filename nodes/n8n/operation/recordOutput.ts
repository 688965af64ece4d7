/** A record as an item, in one form for operations that read and that write. */
import { cloneDeep, omit } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import {
  addConnectedTexts,
  createRecordShaper,
  type Field,
  keepColumns,
  readRecord,
  type RecordValues,
  type Table,
} from '../../records';
import { asThrown, ClientError, type ServiceRecord } from '../../service';
import { defineParameter } from '../parameters/parameter';
import type { Item } from './item';
import { simplifyRecords } from './simplify';

/** Creates the function that converts records of a table to the form that the item chooses under Simplify. */
export function createRecordOutput(
  item: Item,
  table: Table | undefined,
): (record: RecordValues) => IDataObject {
  const mode = item.read(simplifyRecords);
  const { client } = item;
  const onUnknownText = ({ name }: Field) =>
    client.notices.addHint(
      `"${name}" is shown by IDs alone where the texts of connected records are not known. Get Many shows them.`,
    );
  const form = { simplified: mode !== 'off', displayNames: mode === 'names', client, onUnknownText };
  return createRecordShaper(form, table) as (record: RecordValues) => IDataObject;
}

const readFullRecord = defineParameter({
  displayName: 'Read Full Record',
  name: 'readFullRecord',
  type: 'boolean',
  default: false,
  forTools: 'never',
  description:
    'Whether to read each record after it was written, with one more request, so that the output also has what the service calculates. Without it, the output has the values that are known: a new record its ID and the values that were sent.',
});

/** The switches of the operations that write records. */
export const outputForm = [simplifyRecords, readFullRecord];

/** A record after a write, as far as it is known. */
interface ShownChange {
  record: RecordValues;
  /** The record before, and the slugs of the fields that changed. */
  before?: RecordValues;
  changed?: string[];
}

/** A record that was to be written. */
interface WrittenRecord extends ShownChange {
  action: 'created' | 'found' | 'updated' | 'unchanged';
  record: ServiceRecord;
}

/**
 * Returns the first keys of the item of a change: the action and the table. Undo reads them. A model of an AI agent does
 * not get the table.
 */
export const describeAction = (item: Item, table: Table, action: string): IDataObject => ({
  _action: action,
  ...(!item.isToolCall && { _tableId: table.id }),
});

/** Converts a record to an item with its action. With Read Full Record, one that was changed is read first. */
export async function toWrittenJson(
  item: Item,
  table: Table,
  { action, record, before, changed }: WrittenRecord,
): Promise<IDataObject> {
  const isRead = action === 'found' || action === 'unchanged';
  const reads = !isRead && item.read(readFullRecord);
  const known = reads ? await readWritten(item, table, record) : record;
  const isNew = action === 'created' && !reads;
  const json = {
    ...describeAction(item, table, action),
    ...(await formatWritten(item, table, { record: known, before, changed }, isNew)),
  };
  item.changes.push(json);
  return json;
}

/** Converts a record that would be written to an item, in the form that it would have then. */
export const toPlannedJson = async (
  item: Item,
  table: Table,
  { action, ...change }: ShownChange & { action: 'create' | 'update' },
): Promise<IDataObject> => ({
  ...describeAction(item, table, action),
  _dryRun: true,
  ...(await formatWritten(item, table, change, action === 'create')),
});

/** @param isNew a new record costs no further request: the texts that are not known are left out */
async function formatWritten(
  item: Item,
  table: Table,
  { record, before, changed = [] }: ShownChange,
  isNew: boolean,
): Promise<IDataObject> {
  const [shown = record] =
    isNew || item.read(simplifyRecords) === 'off'
      ? []
      : await addConnectedTexts(item.client, table, [record]);
  return {
    ...(before && changed.length > 0 && toBefore(item, table, before, changed)),
    // Several items may have written the same record: each gets a copy, which a later node may change. n8n's own
    // `deepCopy` omits keys such as `constructor`.
    ...cloneDeep(createRecordOutput(item, table)(shown)),
  };
}

/**
 * Returns `_before`: the earlier values of the fields that changed, in the form of the record. Texts of connections that are
 * not known are left out. A model of an AI agent does not get it.
 */
export function toBefore(
  item: Item,
  table: Table,
  before: RecordValues,
  changed: string[],
): IDataObject | undefined {
  if (item.isToolCall) return undefined;
  const mode = item.read(simplifyRecords);
  const shape = createRecordShaper({ simplified: mode !== 'off', displayNames: mode === 'names' }, table);
  return { _before: omit(shape(keepColumns(before, changed, table.fields)), 'id') } as IDataObject;
}

/** Reads a record that was written. The write is a success also if it cannot be read. */
async function readWritten(item: Item, table: Table, written: ServiceRecord): Promise<ServiceRecord> {
  try {
    return await readRecord(item.client, table.id, written.id);
  } catch (error) {
    if (!(error instanceof ClientError)) throw asThrown(error);
    item.client.notices.addHint(
      `Read Full Record: a written record could not be read, so its item has the values that are known (${error.message}).`,
    );
    return written;
  }
}
