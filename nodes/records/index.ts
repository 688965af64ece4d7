/**
 * The entry of the records layer. It exports the functions for tables, fields, filters and connections, and those that
 * read, write and sync records. Other folders import this file only. This folder imports only the service layer, and
 * does not depend on n8n.
 *
 * Functions that send requests have the client as the first argument (`scripts/client-example.ts` is a complete program):
 *
 *     const table = await getTable(client, 'T1x9Kq');
 *     const filters = await buildRecordFilter(client, parseFilterJson('{"status": "active"}'), table, 'UTC');
 *     const records = await readAllRecords(client, { tableId: table.id, filters });
 */

// Tables.

export {
  ensureComparedFieldsExist,
  findTable,
  getTable,
  listTables,
  retryWithFreshFields,
  type TableSummary,
} from './reading/tables';

export { describeTables } from './reading/describeTables';

// Fields and their values.

export {
  type FieldRef,
  formatPayloadKey,
  /** Returns the field of a `FieldRef`, or the part of the field (the first name of a Name) as a separate field. */
  toValueField,
  labelFields,
  Table,
  UnknownFieldError,
} from './fields/table';

export type { Field, PayloadEntries } from './fields/field';

export {
  KIND_NAMES,
  getKind,
  /** Whether the service calculates values of a type, by a formula or from connected records. */
  isCalculatedType,
} from './fields/kinds';

export { getRefValue, keepColumns, listFormColumns, readIds, type RecordValues } from './fields/recordValues';

export { DATE_TIME_FORMAT, readDateText, formatDateTime } from './fields/dateTimeText';

// Filters.

export { ALL_RECORDS_REMEDY, parseFilterJson, formatFilterExample } from './filter/parseFilterJson';

export { type FilterGroup, type FilterTree } from './filter/tree';

export { buildRecordFilter, hasRecordNames, replaceNamesInStoredFilter } from './connections/resolveFilter';

export {
  /**
   * Builds a filter with which this package checks records itself: the service does not filter the records of webhook
   * deliveries.
   */
  compileFilter,
  listOperatorNames,
} from './filter/buildFilter';

// Reading records, and their form.

export { readRecordPage, type PageQuery, readAllRecords, readRecord } from './reading/readRecords';

export { selectRecords, type Selection } from './writing/selectRecords';

export { createMatchKey, type MatchKey } from './reading/matchKey';

// Returns the reader of a table, which finds records by ID or by key. All code of a run shares the reader and its cache.
export { getReader } from './reading/recordReader';

// Finds records by words that a user types into a dropdown of records.
export { readSearchPage, findRecordsByWords } from './reading/recordSearch';

export {
  /** Converts the record of a webhook delivery to the form in which the service returns records. */
  convertDelivery,
  addUserNames,
} from './reading/deliveredRecord';

// Creates a function that converts records to the JSON of output items.
export { createRecordShaper } from './reading/simplifiedRecord';

export { hashFieldValues, hashValue } from './reading/hashing';

// Connected records.

export { hasRecord, resolveConnection } from './connections/connectionResolver';

export {
  parseConnectedPath,
  listConnectedTables,
  /** Checks names such as `Customer → City`, and lists the slugs of the connections before the arrows. */
  listConnectionSlugs,
  readConnectedFields,
} from './connections/connectedRecords';

// Adds the texts of connected records beside their IDs. Requests the texts that are not cached.
export { addConnectedTexts } from './connections/missingTexts';

// Writing one record.

export {
  /** Describes the values of an item that `readGivenValues` leaves out. */
  describeLostValues,
  readGivenValues,
} from './reading/givenValues';

export { addDefaults, prepareEntries } from './writing/prepareEntries';

// Leaves out the values of connections that take several records.
export { omitConnectionLists } from './writing/changeConnections';

export {
  encodeRecordValues,
  /** Formats the value of a part, such as the start of a Calendar, for a cell of an import. */
  formatImportCell,
} from './writing/payload';

export { createRecord } from './writing/createRecord';

// Checks that written fields still exist. Needed for writes whose responses contain no record.
export { ensureWrittenFieldsExist } from './writing/verifyWrite';

// Checks that each field accepts its value. A value that it does not accept is allowed if the records already hold it.
export { ensureValidOrUnchanged } from './writing/currentValues';

export { readRecordForUpdate, updateRecord } from './writing/updateRecord';

export { upsertRecord } from './writing/upsert';

// Runs the writes to one record, key or table one after the other, across all executions of the n8n process.
export { runInTurn } from './writing/turns';

// Changing many records.

export { selectBatch, sendBatch } from './writing/batchUpdate';

export { deleteMatching, deleteRecord } from './writing/deleteRecords';

export { type TableSyncPlan, planTableSync } from './sync/syncTable';

export {
  applySync,
  /** Returns the records that a sync would write. Nothing is written. */
  previewSync,
} from './sync/applySync';

export { applyUndo, planUndo } from './writing/undoChanges';
