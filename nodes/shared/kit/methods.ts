import { recordDatabaseApiTest } from '../transport/credentialTest';
import { getColumns } from './columnMapper';
import { getFilterChoices, getFilterFields, getFilterOperators } from './filterLists';
import { listOptions, listSearches } from './listPicker';
import { getConnectionFields, getFields, getTables, getUniqueFields, searchTables } from './pickers';

/** What n8n's editor may call on any of our nodes: lists behind dropdowns, mapper columns, credential test. */
export const nodeMethods = {
  credentialTest: { recordDatabaseApiTest },
  listSearch: { searchTables, ...listSearches },
  loadOptions: {
    getConnectionFields,
    getFields,
    getFilterChoices,
    getFilterFields,
    getFilterOperators,
    getTables,
    getUniqueFields,
    ...listOptions,
  },
  resourceMapping: { getColumns },
};
