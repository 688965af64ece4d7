/**
 * The entry of the records layer: tables, fields, filters, connections; reading, writing and syncing records. This folder
 * imports the service layer through its `index.ts` only, and does not depend on n8n. Other folders import from here only.
 *
 * Functions that send requests have the client as the first argument (`scripts/client-example.ts` is a complete program):
 *
 *     const table = await getTable(client, 'T1x9Kq');
 *     const filters = await buildRecordFilter(client, parseFilterJson('{"status": "active"}'), table, 'UTC');
 *     const records = await readAllRecords(client, { tableId: table.id, filters });
 */

// Tables.

export {
  /** Finds a table by its ID or name; an error lists the tables. */
  findTable,
  /**
   * Returns a table with its fields, which are cached for 30 seconds; with `isFresh` they are at least
   * as new as the client.
   */
  getTable,
  /**
   * Lists the tables of the application, which are cached for 30 seconds; with `isFresh` they are at least
   * as new as the client.
   */
  listTables,
  /** The ID and the name of a table. */
  type TableSummary,
} from './reading/tables';

export {
  /** Describes tables, with one request for each. */
  describeTables,
} from './reading/describeTables';

// Fields and their values.

export {
  /** A field of a table, or a part of a composite one. */
  type FieldRef,
  /** Formats the key of a field or part in a payload (spec: "Field-type value formats"). */
  formatPayloadKey,
  /** Returns the field itself, or the part as a field of its own. */
  getValueField,
  /** Labels fields for a list: by their names, and their slugs where several have the same name. */
  labelFields,
  /** The fields of a table. */
  Table,
  /** A field that the table does not have. */
  UnknownFieldError,
} from './fields/table';

export type {
  /** A field of a table (spec: Field, full). */
  Field,
  /** Payload keys and values of one field value. */
  PayloadEntries,
} from './fields/field';

export {
  /** Names of the kinds of fields. */
  KIND_NAMES,
  /** How fields of a kind are written, read, compared and filtered (`FieldKind`). */
  getKind,
  /** Whether the service calculates values of this type, by a formula or from connected records. */
  isCalculatedType,
} from './fields/kinds';

export {
  /** Reads the value of a field, or of a part of it, in a record. */
  getRawValue,
  /** Removes all fields except the named ones and the ID. */
  keepColumns,
  /** Lists the columns of a form of values, with the configured defaults. */
  listFormColumns,
  /** The values of a record by key, as the service sends them. */
  type RecordValues,
} from './fields/recordValues';

export {
  /** The form of a Date-Time in the service. */
  DATE_TIME_FORMAT,
  /** Reads a date or time from the service and formats it. */
  readFormatText,
  /** Formats a date or time in a format of the service. */
  toFormatText,
} from './fields/dateTimeText';

// Filters.

export {
  /** Parses a filter as JSON: `{"status": "active", "or": [{…}, {…}]}`, or the form of the service. */
  parseFilterJson,
  /** Shows the short form with two fields of a table, for errors. */
  formatFilterExample,
} from './filter/parseFilterJson';

export {
  /** Spec: Filters, primary form: what `buildRecordFilter` returns. */
  type FilterGroup,
  /** Conditions and nested groups, joined by all (AND) or any (OR). */
  type FilterTree,
} from './filter/tree';

export {
  /** Builds the service's primary form of a filter. */
  buildRecordFilter,
  /** Whether a filter names connected records by texts without the form of an ID. */
  hasConnectionNames,
  /** Replaces the names of connected records in the filter of a trigger by their IDs, because a delivery has IDs only. */
  resolveStoredFilter,
} from './connections/resolveFilter';

export {
  /** Builds a filter that compares records here, in place of the service: a trigger compares deliveries. */
  compileFilter,
  /** Lists the operators that a form offers: those of a kind, with an operand, or for a use. */
  listOperators,
} from './filter/buildFilter';

// Reading records, and their form.

export {
  /** Reads one page of records: at most 200. */
  fetchRecordPage,
  /** The records of a list. */
  type PageQuery,
  /** Reads the records of a list, once more if it changed meanwhile. */
  readAllRecords,
  /** Reads one record. */
  readRecord,
} from './reading/readRecords';

export {
  /** Reads the records of a filter that will be changed or deleted, and compares each with the filter. */
  selectRecords,
  /** Which records, for `selectRecords`. */
  type Selection,
} from './writing/selectRecords';

export {
  /** Creates the key of a record from its values. */
  createMatchKey,
  /** The values that identify a record. */
  type MatchKey,
} from './reading/matchKey';

export {
  /** Returns the reader of a table in a run: it finds records by their IDs or by keys. */
  getReader,
} from './reading/recordReader';

export {
  /** Finds records of a table by words, with their labels, for a list from which one is picked. */
  RecordSearch,
} from './reading/recordSearch';

export {
  /** Converts a delivered record to the form of a record that was read, and adds missing fields. */
  completeRecord,
  /** Adds the texts of users to records that show only their IDs. */
  addUserTexts,
  /** Whether a record shows only the IDs of connected records or users. */
  lacksTexts,
} from './reading/deliveredRecord';

export {
  /** Creates a function that converts records to the form of items: simplified, with display names, or as they are. */
  createRecordShaper,
} from './reading/simplifiedRecord';

export {
  /** Hashes the values of each field, by slug. */
  hashFieldValues,
  /** Hashes a value, with its keys in any order, to `length` characters of 6 bits each. */
  hashValue,
} from './reading/hashing';

// Connected records.

export {
  /** Whether a table has a record with this ID. */
  isRecordId,
  /** Finds the connected records of a value that has IDs, names or both. */
  resolveConnection,
} from './connections/connectionResolver';

export {
  /** Finds the connection that a name such as `Customer → City` goes through. */
  findConnectedPath,
  /** Lists the connections of a table with the tables to which they lead. */
  listConnectedTables,
  /** The slugs of the connections that names such as `Customer → City` go through. */
  listPathConnections,
  /** Reads fields of connected records, to be added to records. */
  readConnectedFields,
} from './connections/connectedRecords';

export {
  /** Adds the texts of connected records to records that show only their IDs. Unknown texts are read. */
  addConnectedTexts,
} from './connections/learnTexts';

// Writing one record.

export {
  /** Describes the values of an item that `readGivenValues` leaves out, unless a record shows them. */
  describeLostValues,
  /** Reads the values that a form, an object or an item gives for a record: what can be written, by payload key. */
  readGivenValues,
} from './reading/givenValues';

export {
  /** Adds the configured defaults of the fields that are not given to the values of a new record. */
  addDefaults,
  /** Encodes what `readGivenValues` returned, and finds the connected records that the values name. */
  prepareEntries,
} from './writing/prepareEntries';

export {
  /** Encodes values whose connections are IDs, by slug or part (`name[first_name]`), for a create or update. */
  encodeRecordValues,
  /** Formats a value for a cell of an import, which has no record: the end of a Calendar is a day. */
  formatPartValue,
} from './writing/payload';

export {
  /** Creates one record, at most once, and compares it with the values that were sent. */
  createRecord,
} from './writing/createRecord';

export {
  /** Reads the fields once more after a run of several writes whose answers show no record. */
  ensureFieldsRemain,
} from './writing/verifyWrite';

export {
  /** Checks the values of an update before it is sent. */
  ensureHeld,
} from './writing/currentValues';

export {
  /** Reads a record that will be updated. `updateRecord` uses these values for a minute. */
  readForUpdate,
  /** Updates a record. */
  updateRecord,
} from './writing/updateRecord';

export {
  /** Creates a record with a key, or updates those that have it ("upsert"). */
  upsertRecord,
} from './writing/upsert';

export {
  /** Runs the writes of one record, key or table one after the other, whichever execution they belong to. */
  takeTurn,
} from './writing/turns';

// Changing many records.

export {
  /** Reads the records that a batch update would change, and checks them against the filter. */
  selectBatch,
  /** Writes the values to these records. */
  sendBatch,
} from './writing/batchUpdate';

export {
  /** Deletes the records of a filter, several at once. One that no longer matches is kept. */
  deleteMatching,
  /** Deletes one record. */
  deleteRecord,
} from './writing/deleteRecords';

export {
  /** A sync plan, with the inputs and the records that it compares. */
  type TableSyncPlan,
  /** Compares inputs with the records of a table, and plans the changes that make them equal. */
  planTableSync,
} from './sync/syncTable';

export {
  /** Makes the changes of a plan. */
  applySync,
  /** Returns the records that the changes of a plan would write, as far as they are known. */
  previewSync,
} from './sync/applySync';

export {
  /** Makes the changes of a plan that undoes a run. */
  applyUndo,
  /** Compares the records of a run with what it wrote. */
  planUndo,
} from './writing/undoChanges';
