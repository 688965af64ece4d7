/** The item with which a trigger starts a workflow, and the earlier values of watched fields. */
import { isEmpty, isUndefined, omit, omitBy } from 'lodash';
import { createItemConverter, type Field, keepColumns, type RecordValues, type Table } from '../../records';
import type { Client } from '../../service';
import type { SharedTriggerParameters } from './triggerForm';

export interface TriggerEvent {
  /** `INSERT`, `UPDATE`, `DELETE`, or another event of the polling trigger. */
  event: string;
  tableId: string;
  /** The table's name, or '' if it is not known. */
  tableName: string;
  /** ISO 8601: the time of the event, or of the poll that found it. */
  timestamp: string;
}

/** Keys that the trigger adds to the record. Keys without a value are left out. */
interface EventNotes {
  /** Slugs of the fields that changed, or null if the earlier values are not known. */
  _changedFields?: string[] | null;
  /** Earlier values of the watched fields. A value that is not known is null. */
  _before?: RecordValues;
  /** Names of checks that the trigger could not make, and of data that it could not read. */
  _notChecked?: string[];
  /** A hash of the change. */
  _eventId?: string;
}

/**
 * Returns a function that builds an item: the record with `_event`, `_table` and the notes before its fields,
 * or the event with the record in it. `connected` has fields of connected records to add to the record.
 * @param slugs the fields to keep; all if there are none
 * @param table undefined if its fields are not known. The record then stays as it is
 * @param client the client whose earlier responses contained the texts of connected records
 */
export function createTriggerItemBuilder(
  { output, displayNames }: Pick<SharedTriggerParameters, 'output' | 'displayNames'>,
  { slugs, table, client }: { slugs: string[]; table: Table | undefined; client?: Client },
): (event: TriggerEvent, record: RecordValues, notes: EventNotes, connected?: RecordValues) => RecordValues {
  const form = { displayNames, simplified: output === 'record', client };
  const shape = createItemConverter({ ...form, slugs }, table);
  const shapeBefore = createItemConverter(form, table);
  return ({ event, tableId, tableName, timestamp }, values, notes, connected) => {
    const record = { ...shape(values), ...connected };
    const _before = notes._before && shapeBefore(notes._before);
    const known = omitBy({ ...notes, _before }, isUndefined);
    return output === 'record'
      ? { _event: event, _table: tableName || tableId, ...known, ...record }
      : { event, tableId, tableName, record, timestamp, ...known };
  };
}

/** A value whose JSON has more characters is not stored, and counts as unknown. */
const MAX_STORED_VALUE_LENGTH = 200;

/** Returns all keys of one field, with their values: `{ customer: […], customer_val: […] }`. */
const pickFieldEntries = (record: RecordValues, slug: string, fields: Field[]): RecordValues =>
  omit(keepColumns(record, [slug], fields), 'id');

/** Returns those values of the fields that are short enough to be stored, in the form of the service. */
export function pickShortValues(record: RecordValues, slugs: string[], fields: Field[]): RecordValues {
  const short = slugs
    .map((slug) => pickFieldEntries(record, slug, fields))
    .filter((values) => JSON.stringify(values).length <= MAX_STORED_VALUE_LENGTH);
  return Object.assign({}, ...short) as RecordValues;
}

/** Returns the stored values of the fields, and null for each field without one. */
export function findEarlierValues(stored: RecordValues, slugs: string[], fields: Field[]): RecordValues {
  const values = slugs.map((slug) => {
    const found = pickFieldEntries(stored, slug, fields);
    return isEmpty(found) ? { [slug]: null } : found;
  });
  return Object.assign({}, ...values) as RecordValues;
}
