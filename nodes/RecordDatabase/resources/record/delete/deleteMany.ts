import type { IDataObject } from 'n8n-workflow';
import { createDryRunOption, createMaximumRecords } from '../../../../shared/kit/bulkLimits';
import { withLookupEndpoints } from '../../../../shared/kit/connections/lookupEndpoints';
import { requiredFilterForm } from '../../../../shared/kit/filter/filterForm';
import { readFilter } from '../../../../shared/kit/filter/readFilter';
import type { Item } from '../../../../shared/kit/operation/item';
import type { Operation } from '../../../../shared/kit/operation/operation';
import { createOptions } from '../../../../shared/kit/operation/parameter';
import { hideUntilPicked } from '../../../../shared/kit/pickers/hideUntilPicked';
import { tableLocator } from '../../../../shared/kit/pickers/tablePickers';
import { fetchRecordPage } from '../../../../shared/kit/records/fetchRecordPage';
import { recordEndpoints } from '../../../../shared/model/endpoints/records';
import type { FilterGroup } from '../../../../shared/model/filter';
import { InputError } from '../../../../shared/model/input/inputError';
import { changedOutput } from '../../../../shared/model/outputs/records';
import type { Table } from '../../../../shared/model/records/table';
import type { ServiceRecord } from '../../../../shared/model/responses/records';
import { systemClock } from '../../../../shared/transport/clock';
import { MAX_PAGE_SIZE } from '../../../../shared/transport/paging/pagingOptions';
import { readAllRecords } from '../read/readAllRecords';
import type { Recheck } from './currentRecords';
import { deleteRecords } from './deleteRecords';
import { createMatcher, ensureMatch } from './ensureMatch';

const maximumRecords = createMaximumRecords(
  'Nothing is deleted when the filter matches more records than this',
);

const dryRunOption = createDryRunOption('Whether to only return the records that would be deleted');

/** @throws InputError when no filter is chosen, because every record of the table would be deleted */
async function requireFilter(item: Item, table: Table): Promise<FilterGroup> {
  const filters = await readFilter(item, table);
  if (filters) return filters;
  throw new InputError(
    'There is no filter: every record of the table would be deleted',
    'Add a condition. To delete all records, use one that all of them match, such as "Created At" is not blank. Nothing was deleted.',
  );
}

const createTooManyError = (count: string, maximum: number) =>
  new InputError(
    `The filter matches ${count} records, more than Maximum Records (${maximum})`,
    'Nothing was deleted. Add conditions, or raise the maximum.',
  );

/** Reads the records that match the filter. The first page shows how many there are. @throws InputError */
async function readMatches(
  { client }: Item,
  table: Table,
  filters: FilterGroup,
  maximum: number,
): Promise<ServiceRecord[]> {
  const records = await readAllRecords(client, {
    tableId: table.id,
    filters,
    // The service may not return the total.
    limit: maximum + 1,
    onPage: ({ total_items: total = 0 }) => {
      if (total > maximum) throw createTooManyError(String(total), maximum);
    },
  });
  if (records.length > maximum) throw createTooManyError('too many', maximum);
  return records;
}

export const deleteMany: Operation = {
  name: 'deleteMany',
  displayName: 'Delete Many',
  action: 'Delete many records',
  description: 'Delete all records that match a filter, up to a maximum, and return them as they were',
  output: changedOutput,
  endpoints: withLookupEndpoints(recordEndpoints.listFiltered, recordEndpoints.delete, recordEndpoints.get),
  parameters: [
    tableLocator,
    ...hideUntilPicked('dataTableId', requiredFilterForm),
    maximumRecords,
    createOptions(dryRunOption),
  ],
  // Two items whose filters match the same record would both delete it.
  serialKey: (item) => item.read(tableLocator),
  async run(item, mode) {
    const table = await item.getFreshTable(item.read(tableLocator));
    const filters = await requireFilter(item, table);
    const maximum = item.read(maximumRecords);
    const isDry = item.readOption(dryRunOption) === true;

    const readAt = systemClock.now();
    const records = await readMatches(item, table, filters, maximum);
    ensureMatch(records, filters, table, item.client.credential.timeZone);

    if (isDry) {
      return records.map((record) => ({
        json: { ...record, _action: 'delete', _dryRun: true } as IDataObject,
      }));
    }
    const recheck: Recheck = {
      // The records before are gone, so the first page has the next ones.
      read: async () =>
        (await fetchRecordPage(item.client, { tableId: table.id, filters }, 1, MAX_PAGE_SIZE)).items,
      mayDelete: createMatcher(filters, table, item.timeZone),
      reason: 'no longer match the filter',
      readAt,
    };
    return (await deleteRecords(item.client, mode, { tableId: table.id, records, recheck })).results;
  },
};
