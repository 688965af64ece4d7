import { type Field, getKind, type PayloadEntries } from '../../model/fields';
import { formatForError } from '../../model/input/inputError';
import { getShownValue, type RecordValues } from '../../model/records/recordValues';
import type { Table } from '../../model/records/table';
import { ApiError } from '../../transport/errors/apiError';
import { readRecord } from '../columns/readRecord';
import type { Item } from '../operation/item';
import { ensureConnectionsStored } from './ensureStored';

/** The IDs that an update adds to one connection or removes from it. */
export interface ListChange {
  field: Field;
  ids: string[];
}

interface ChangedRecord {
  recordId: string;
  mode: 'add' | 'remove';
  /** The payload that was sent, with complete lists. */
  entries: PayloadEntries;
  changes: ListChange[];
  /** The record in the response, as far as the response shows it. */
  response: RecordValues;
}

/** Returns the record as the response shows it. Reads the record if the response lacks a list: not every response has it. */
async function findStoredRecord(
  item: Item,
  table: Table,
  { recordId, changes, response }: ChangedRecord,
): Promise<RecordValues | undefined> {
  const isShown = changes.every(({ field }) => getShownValue(response, { table, field }) !== undefined);
  return isShown ? response : readRecord(item, table.id, recordId).catch(() => undefined);
}

/** Returns the IDs that the record still contains. */
function findKeptIds(record: RecordValues, table: Table, { field, ids }: ListChange): string[] {
  const shown = getKind(field).read(getShownValue(record, { table, field }), field);
  return Array.isArray(shown) ? ids.filter((id) => shown.map(String).includes(id)) : [];
}

/**
 * Compares the lists of the written record with what was added or removed.
 * @throws ApiError that names the record, the connection and the IDs that the service did not add or remove
 */
export async function ensureListsChanged(item: Item, table: Table, change: ChangedRecord): Promise<void> {
  const { recordId, mode, entries, changes } = change;
  const record = await findStoredRecord(item, table, change);
  if (!record) {
    const names = changes.map(({ field }) => `"${field.name}"`).join(', ');
    item.client.notices.addHint(
      `Record ${recordId}: whether ${names} changed was not checked, because the record could not be read.`,
    );
    return;
  }
  ensureConnectionsStored(item, table, entries, { item: record }, { action: 'updated', recordId });
  if (mode === 'add') return;
  for (const one of changes) {
    const kept = findKeptIds(record, table, one);
    if (kept.length === 0) continue;
    throw new ApiError({
      message: `"${one.field.name}" still holds ${kept.map(formatForError).join(', ')}: the service did not remove it`,
      description: `The other values of record ${recordId} were updated. Another workflow or a rule of the table may have added the connection again. Check the record in the service, and run it again.`,
      details: { recordId },
    });
  }
}
