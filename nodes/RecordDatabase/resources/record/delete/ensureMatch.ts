import { buildMatcher, type FilterGroup } from '../../../../shared/model/filter';
import { InputError } from '../../../../shared/model/input/inputError';
import type { Table } from '../../../../shared/model/records/table';
import type { ServiceRecord } from '../../../../shared/model/responses/records';
import { formatIds } from '../write/keepOldRecords';

/** Creates the local check of a filter. @throws InputError when only the service can evaluate the filter */
export const createMatcher = (
  filters: FilterGroup,
  table: Table,
  timeZone: string,
): ((record: ServiceRecord) => boolean) => buildMatcher(filters, table, { timeZone, now: new Date() });

/**
 * Checks each record against a filter before the first one is deleted. The service silently ignores a condition
 * that it does not understand, and then returns records that must not be deleted (spec: Filters).
 * @throws InputError when a record does not match, or only the service can evaluate the filter
 */
export function ensureMatch(
  records: ServiceRecord[],
  filters: FilterGroup,
  table: Table,
  timeZone: string,
): void {
  const matches = createMatcher(filters, table, timeZone);
  const strays = records.filter((record) => !matches(record));
  if (strays.length === 0) return;
  throw new InputError(
    `The service returned ${strays.length} records that do not match the filter: ${formatIds(strays)}`,
    'Nothing was deleted. The service may ignore or evaluate a condition in another way. Use other conditions, and check the records with Get Many.',
  );
}
