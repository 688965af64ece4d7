/**
 * The filter of a trigger, which compares the records itself. `resolveFilter` replaces the names of connected records
 * by their IDs. `compileFilter` creates the function that compares a record.
 */
import {
  buildFilter,
  buildMatcher,
  ensureIdsAreNoNames,
  type FieldRef,
  type FilterGroup,
  type FilterItem,
  type FilterTree,
  type Matcher,
  resolveStoredFilter,
  type Table,
} from '../../records';
import type { Client } from '../../service';

/**
 * Replaces the names of connected records by their IDs, because a record that arrives has IDs only.
 * @throws InputError for a name of no record or of several; ApiError for a failed request
 */
export async function resolveFilter(
  client: Client,
  filter: FilterTree | undefined,
  table: Table,
): Promise<FilterTree | undefined> {
  await ensureIdsAreNoNames(client, filter, table);
  return resolveStoredFilter(client, filter, table);
}

/** A filter that fits a table. */
interface CompiledFilter {
  /** As the service takes it. */
  group: FilterGroup;
  matches: Matcher;
  /** Fields, or parts of fields, that it compares. */
  fields: FieldRef[];
}

const collectItems = ({ items, child }: FilterGroup): FilterItem[] => [
  ...items,
  ...child.flatMap(collectItems),
];

/** @throws InputError for a filter that does not fit the table, or that only the service can evaluate */
export function compileFilter(
  filter: FilterTree,
  table: Table,
  context: Parameters<typeof buildFilter>[2] & { serviceTimeZone: string },
): CompiledFilter {
  const group = buildFilter(filter, table, context);
  return {
    group,
    matches: buildMatcher(group, table, { timeZone: context.serviceTimeZone, now: context.now }),
    fields: collectItems(group).map(({ field_id }) => table.resolveFilterField(field_id, 'Filter')),
  };
}
