/** Converts records to output items. Operations that read and that write return the same form. */
import { cloneDeep, omit } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import {
  addConnectedTexts,
  createItemConverter,
  type Field,
  keepColumns,
  readRecord,
  type RecordValues,
  type Table,
} from '../../records';
import { asThrown, ClientError, type ServiceRecord } from '../../service';
import { defineParameter } from '../parameters/parameter';
import type { Item } from './item';
import { type Output, toOutputs } from './operation';
import { simplifyRecordsParameter } from './simplify';

export function readOutputFormat(item: Item) {
  const mode = item.read(simplifyRecordsParameter);
  return { simplified: mode !== 'off', displayNames: mode === 'names' };
}

export function createRecordConverter(item: Item, table: Table): (record: RecordValues) => IDataObject {
  const { client } = item;
  const onUnknownText = ({ name }: Field) =>
    client.notices.addHint(
      `"${name}" contains only IDs where the texts of connected records are not known. Get Many returns these texts.`,
    );
  const form = { ...readOutputFormat(item), client, onUnknownText };
  return createItemConverter(form, table) as (record: RecordValues) => IDataObject;
}

/** Converts records; with Simplify, adds the texts of connected records. @param readTable called only with Simplify */
export async function toRecordOutputs(
  item: Item,
  records: ServiceRecord[],
  readTable: () => Promise<Table>,
): Promise<Output[]> {
  if (!readOutputFormat(item).simplified) return toOutputs(records);
  const table = await readTable();
  const shown = await addConnectedTexts(item.client, table, records);
  return toOutputs(shown.map(createRecordConverter(item, table)));
}

const readFullRecordParameter = defineParameter({
  displayName: 'Read Full Record',
  name: 'readFullRecord',
  type: 'boolean',
  default: false,
  forTools: 'never',
  description:
    'Whether to read each record after it was written, with one more request, so that the output also has what the service calculates. Without it, the output has the values that are known: a new record its ID and the values that were sent.',
});

export const outputForm = [simplifyRecordsParameter, readFullRecordParameter];

interface ChangeDetails {
  /** The record before the change. */
  before?: RecordValues;
  /** Slugs of the changed fields. */
  changed?: string[];
  /** Whether the change was only planned, because Dry Run is on. */
  isDry?: boolean;
  notes?: IDataObject;
}

/** Returns a converter of changes to items for Undo. An AI model gets neither the table nor the earlier values. */
export function createChangeConverter(item: Item, table: Table) {
  const toJson = createRecordConverter(item, table);
  const toBefore = ({ before, changed = [] }: ChangeDetails) => {
    if (item.isTool || !before || changed.length === 0) return undefined;
    // Converted without a client, which would add texts that the earlier record did not contain.
    const shape = createItemConverter(readOutputFormat(item), table);
    return { _before: omit(shape(keepColumns(before, changed, table.fields)), 'id') as IDataObject };
  };
  return (action: string, record: RecordValues, details: ChangeDetails = {}): IDataObject => ({
    _action: action,
    ...(!item.isTool && { _tableId: table.id }),
    ...details.notes,
    ...(details.isDry && { _dryRun: true }),
    ...toBefore(details),
    ...toJson(record),
  });
}

/** A written record, or with Dry Run a planned one. `record` may lack values that the service calculates. */
interface RecordChange extends ChangeDetails {
  action: string;
  record: RecordValues;
}

/** `found`: a record with the same unique value existed already, and was not changed. */
export interface WrittenRecord extends RecordChange {
  action: 'created' | 'found' | 'updated' | 'unchanged';
  record: ServiceRecord;
}

/** Converts a written record, and adds it to the item's changes. With Read Full Record, reads it first. */
export async function formatWrite(item: Item, table: Table, written: WrittenRecord): Promise<IDataObject> {
  const { action } = written;
  const isRead = action === 'found' || action === 'unchanged';
  const reads = !isRead && item.read(readFullRecordParameter);
  const record = reads ? await readWrittenRecord(item, table, written.record) : written.record;
  const isNew = action === 'created' && !reads;
  const json = await formatChange(item, table, { ...written, record }, isNew);
  item.changes.push(json);
  return json;
}

/** Adds an update with an unknown outcome to the item's changes: the item's error then has the old values. */
export const addUnconfirmedUpdate = (item: Item, table: Table, { record, ...details }: RecordChange): void =>
  void item.changes.push(createChangeConverter(item, table)('updated', record, details));

/** @param isNew whether the record was just created. Texts of its connected records are then not requested */
export async function formatChange(
  item: Item,
  table: Table,
  { action, record, ...details }: RecordChange,
  isNew: boolean,
): Promise<IDataObject> {
  const [shown = record] =
    isNew || !readOutputFormat(item).simplified ? [] : await addConnectedTexts(item.client, table, [record]);
  // Copied, because several items may share the record, and a later node may change it. n8n's `deepCopy` would
  // omit keys such as `constructor`.
  return cloneDeep(createChangeConverter(item, table)(action, shown, details));
}

/** Returns `written` if the record cannot be read, because the write itself has succeeded. */
async function readWrittenRecord(item: Item, table: Table, written: ServiceRecord): Promise<ServiceRecord> {
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
