import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';
import { parseFieldOption } from '../../shared/kit/filter/fieldOption';
import { getMatchableFilterOperators, toFilterOptions } from '../../shared/kit/filter/filterLoadOptions';
import { withLiteralResults } from '../../shared/kit/literalOptions';
import { runLookup } from '../../shared/kit/pickers/runLookup';
import { toFieldOptions } from '../../shared/kit/pickers/tablePickers';
import { parseNames } from '../../shared/model/input/parseList';
import type { Table } from '../../shared/model/records/table';
import { getTable } from '../../shared/transport/schema';

/** The fields of all tables that are chosen. */
const fetchChosenTables = (context: ILoadOptionsFunctions): Promise<Table[]> =>
  runLookup(context, (client) =>
    Promise.all(parseNames(context.getCurrentNodeParameter('tables')).map((id) => getTable(client, id))),
  );

const removeDuplicateOptions = (options: INodePropertyOptions[]) => [
  ...new Map(options.map((one) => [one.value, one])).values(),
];

/** Fields that every chosen table has with the same kind, because one filter applies to all tables. */
async function getTriggerFilterFields(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  const lists = (await fetchChosenTables(this)).map(({ fields }) => toFilterOptions(fields));
  return (lists[0] ?? []).filter(({ value }) =>
    lists.every((list) => list.some((one) => one.value === value)),
  );
}

async function getTriggerFilterChoices(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  const { id: slug } = parseFieldOption(this.getCurrentNodeParameter('&field'));
  const fields = (await fetchChosenTables(this)).flatMap((table) => table.fields);
  const choices = fields.filter((one) => one.slug === slug).flatMap(({ options }) => options);
  return removeDuplicateOptions(choices.map(({ label, value }) => ({ name: label, value })));
}

/** Fields that any chosen table has. */
async function getTriggerFields(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  return removeDuplicateOptions(
    (await fetchChosenTables(this)).flatMap(({ fields }) => toFieldOptions(fields)),
  );
}

/** The load options methods of the trigger, under the names that the shared filter form uses. */
export const triggerLoadOptions = withLiteralResults({
  getFields: getTriggerFields,
  getFilterFields: getTriggerFilterFields,
  getFilterOperators: getMatchableFilterOperators,
  getFilterChoices: getTriggerFilterChoices,
});
