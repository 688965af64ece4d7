import { filterOf, type FilterSource } from '../shared/kit/filterInput';
import { buildMatcher, type Matcher } from '../shared/model/filter/evaluate';
import { Table } from '../shared/model/table';
import type { Client } from '../shared/transport/client';
import { tableFields } from '../shared/transport/schema';
import { columnsOf, optionsOf, type TriggerContext } from './settings';
import type { State } from './state';

/** The parameters of the filter form, from a context that has no items. */
const sourceOf = (context: TriggerContext): FilterSource => ({
  value: <T>(name: string, fallback?: T) => context.getNodeParameter(name, fallback as never) as T,
  timeZone: context.getTimezone(),
  // Whether somebody is logged in does not matter: those operators cannot be evaluated here, and it says so.
  client: { keys: { userLogin: true } },
});

const hasFilter = (context: TriggerContext): boolean =>
  context.getNodeParameter('filterMode', 'none') !== 'none';

/** Whether anything in the form speaks of fields. */
export function needsFields(context: TriggerContext): boolean {
  const { displayNames } = optionsOf(context);
  return hasFilter(context) || displayNames === true || columnsOf(context).length > 0;
}

/** A table's fields as remembered at activation; asked for where that is lost. */
export async function fieldsOf(state: State, client: Client, tableId: string): Promise<Table> {
  const kept = state.fields[tableId];
  return kept ? new Table(tableId, kept) : tableFields(client, tableId);
}

/** The filter form, ready for delivered records. @throws InputError for what cannot be evaluated on them */
export function matcherFor(context: TriggerContext, table: Table): Matcher {
  const filter = filterOf(sourceOf(context), table);
  return filter
    ? buildMatcher(filter, table, { timeZone: context.getTimezone(), now: new Date() })
    : () => true;
}
