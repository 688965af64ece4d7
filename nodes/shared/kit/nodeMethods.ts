import { recordDatabaseApiTest } from '../transport/auth/testCredential';
import { getFilterChoices, getFilterFields, getFilterOperators } from './filter/filterLoadOptions';
import { withLiteralResults } from './literalOptions';
import { getFileFields } from './pickers/fileFields';
import { listSearchMethods, loadOptionsMethods } from './pickers/listPicker';
import { getColumns } from './pickers/mapperColumns';
import { searchRecords } from './pickers/recordPicker';
import {
  getConnectionFields,
  getFields,
  getTables,
  getUniqueFields,
  searchTables,
} from './pickers/tablePickers';

/** Methods that n8n's editor calls on every node: lists for dropdowns, mapper columns, credential test. */
export const nodeMethods = {
  credentialTest: { recordDatabaseApiTest },
  listSearch: withLiteralResults({ searchRecords, searchTables, ...listSearchMethods }),
  loadOptions: withLiteralResults({
    getConnectionFields,
    getFields,
    getFileFields,
    getFilterChoices,
    getFilterFields,
    getFilterOperators,
    getTables,
    getUniqueFields,
    ...loadOptionsMethods,
  }),
  resourceMapping: withLiteralResults({ getColumns }),
};
