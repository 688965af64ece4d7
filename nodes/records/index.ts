/**
 * The records layer: tables, fields, filters, and the reading and writing of records, without n8n. Functions that send
 * requests have the client as the first argument (`scripts/client-example.ts` is a complete program):
 *
 *     const table = await getTable(client, 'T1x9Kq');
 *     const filters = await buildRecordFilter(client, parseFilterJson('{"status": "active"}'), table, 'UTC');
 *     const records = await readAllRecords(client, { tableId: table.id, filters });
 */

// Tables
export {
  ensureComparedFieldsExist,
  findTable,
  getTable,
  listTables,
  retryWithFreshFields,
  type TableSummary,
} from './reading/tables';
export { describeTables } from './reading/describeTables';

// Fields and their values
export {
  type FieldRef,
  formatPayloadKey,
  toRefField,
  labelFields,
  Table,
  UnknownFieldError,
} from './fields/table';
export type { Field, PayloadEntries } from './fields/field';
export { KIND_NAMES, getKind, isCalculatedType } from './fields/kinds';
export {
  getFieldOrPartValue,
  keepColumns,
  listFormColumns,
  readConnectedIds,
  type RecordValues,
} from './fields/recordValues';
export { DATE_TIME_FORMAT, readDateText, formatDateTime } from './fields/dateTimeText';

// Filters
export { ALL_RECORDS_REMEDY, parseFilterJson, formatFilterExample } from './filter/parseFilterJson';
export { type FilterGroup, type FilterTree } from './filter/tree';
export { buildRecordFilter, hasRecordNames, replaceNamesInStoredFilter } from './connections/resolveFilter';
export { compileFilter, listOperatorNames } from './filter/buildFilter';

// Reading records, and converting them to items
export { readRecordPage, type PageQuery, readAllRecords, readRecord } from './reading/readRecords';
export { selectRecords, type RecordSelection } from './writing/selectRecords';
export { createMatchKey, type MatchKey } from './reading/matchKey';
export { getReader } from './reading/recordReader';
export { readSearchPage, findRecordsByWords } from './reading/recordSearch';
export { decodeDelivery, addUserNames } from './reading/deliveredRecord';
export { createItemConverter } from './reading/simplifiedRecord';
export { hashFieldValues, hashValue } from './reading/hashing';

// Connected records
export { recordExists, resolveConnection } from './connections/connectionResolver';
export {
  parseConnectedPath,
  listConnectedTables,
  listConnectionSlugs,
  readConnectedFields,
} from './connections/connectedRecords';
export { addConnectedTexts } from './connections/missingTexts';

// Writing one record
export { describeLostValues, selectValuesToWrite } from './reading/givenValues';
export { addDefaultValues, prepareEntries } from './writing/prepareEntries';
export { omitConnectionLists } from './writing/changeConnections';
export { encodeRecordValues, formatImportCell } from './writing/payload';
export { createRecord } from './writing/createRecord';
export { ensureWrittenFieldsExist } from './writing/verifyWrite';
export { ensureValidOrUnchanged } from './writing/currentValues';
export { readRecordForUpdate, updateRecord } from './writing/updateRecord';
export { upsertRecord } from './writing/upsert';
export { runInTurn } from './writing/turns';

// Deleting records, and changing many
export { selectBatchRecords, sendBatchUpdate } from './writing/batchUpdate';
export { deleteMatchingRecords, deleteRecord } from './writing/deleteRecords';
export { type TableSyncPlan, planTableSync } from './sync/syncTable';
export { applySync, previewSync } from './sync/applySync';
export { applyUndo, planUndo } from './writing/undoChanges';
