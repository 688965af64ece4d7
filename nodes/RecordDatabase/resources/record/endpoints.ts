import { getRecord } from '../../../shared/kit/readRecord';
import { v1 } from '../../../shared/model/endpoint';

const records = '/data-tables/{dataTableId}/records';

/** Spec: Records. Plain POST on the collection lists with a filter body and creates with a payload. */
export const endpoints = {
  list: v1(`GET ${records}`),
  listFiltered: v1(`POST ${records}`, 'read'),
  search: v1(`POST ${records}?_zmode=search`, 'read'),
  create: v1(`POST ${records}`, 'once'),
  get: getRecord,
  update: v1(`POST ${records}/{recordId}`, 'idempotent'),
  delete: v1(`DELETE ${records}/{recordId}`),
  batchUpdateCheck: v1(`GET ${records}/batch-update-check`),
  batchUpdate: v1(`POST ${records}/batch-update`, 'idempotent'),
};
