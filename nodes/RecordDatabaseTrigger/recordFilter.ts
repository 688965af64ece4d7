import { isEqual } from 'lodash';
import { filterOf, type FilterSource } from '../shared/kit/filterInput';
import { buildMatcher, type Matcher } from '../shared/model/filter/evaluate';
import type { FilterGroup, FilterItem } from '../shared/model/filter/tree';
import { Table } from '../shared/model/table';
import { tableFields } from '../shared/transport/schema';
import { fieldOf } from './output';
import { columnsOf, optionsOf, type TriggerContext } from './settings';
import { writeState } from './state';
import type { Visit } from './visit';

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

const itemsIn = ({ items, child }: FilterGroup): FilterItem[] => [...items, ...child.flatMap(itemsIn)];

/** Whether a record has all that the filter names. A field that was renamed or removed is not in it any more. */
function hasFiltered(context: TriggerContext, table: Table, record: Record<string, unknown>): boolean {
  const filter = filterOf(sourceOf(context), table);
  const delivered = new Set(Object.keys(record).map((key) => fieldOf(table.fields, key)?.slug));
  return itemsIn(filter ?? { condition: 'AND', items: [], child: [] }).every((item) =>
    delivered.has(table.filterSlot(item.field_id, 'Filter').field.slug),
  );
}

/**
 * A table's fields as remembered at activation; read anew where that is lost, or where a record lacks what
 * the filter names: a filter on a field that is gone must not drop every event in silence.
 */
export async function fieldsOf({ context, client, hook, state, change }: Visit): Promise<Table> {
  const { tableId, event, record } = change;
  const kept = state.fields[tableId] && new Table(tableId, state.fields[tableId]);
  if (kept && (event === 'DELETE' || hasFiltered(context, kept, record))) return kept;
  const table = await tableFields(client, tableId).catch((error: unknown) => {
    // An event is worth more than the latest fields.
    if (kept) return kept;
    throw error;
  });
  if (isEqual(table.fields, kept?.fields)) return table;
  const fields = { ...state.fields, [tableId]: table.fields };
  writeState(context.getWorkflowStaticData('node'), hook.owner, { fields });
  return table;
}

/** The filter form, ready for delivered records. @throws InputError for what cannot be evaluated on them */
export function matcherFor(context: TriggerContext, table: Table): Matcher {
  const filter = filterOf(sourceOf(context), table);
  return filter
    ? buildMatcher(filter, table, { timeZone: context.getTimezone(), now: new Date() })
    : () => true;
}
