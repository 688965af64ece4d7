import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';
import { fieldIdOf } from '../shared/kit/filterInput';
import { filterOptions, getFilterOperators } from '../shared/kit/filterLists';
import { fieldOption, lookUp } from '../shared/kit/pickers';
import { isEvaluable } from '../shared/model/filter/evaluate';
import { namesIn } from '../shared/model/list';
import type { Table } from '../shared/model/table';
import { tableFields } from '../shared/transport/schema';

/** The lists of the filter form and of the columns, over all the tables that are chosen. */
const tablesOf = (context: ILoadOptionsFunctions): Promise<Table[]> =>
  lookUp(context, (client) =>
    Promise.all(namesIn(context.getCurrentNodeParameter('tables')).map((id) => tableFields(client, id))),
  );

const byValue = (options: INodePropertyOptions[]) => [
  ...new Map(options.map((one) => [one.value, one])).values(),
];

/** Fields that every chosen table has, in the same kind: the filter is one for all of them. */
async function getTriggerFilterFields(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  const lists = (await tablesOf(this)).map(({ fields }) => fields.flatMap(filterOptions));
  return (lists[0] ?? []).filter(({ value }) =>
    lists.every((list) => list.some((one) => one.value === value)),
  );
}

async function getTriggerFilterOperators(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  return (await getFilterOperators.call(this)).filter(({ value }) => isEvaluable(String(value)));
}

async function getTriggerFilterChoices(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  const slug = fieldIdOf(this.getCurrentNodeParameter('&field'));
  const fields = (await tablesOf(this)).flatMap((table) => table.fields);
  const choices = fields.filter((one) => one.slug === slug).flatMap(({ options }) => options);
  return byValue(choices.map(({ label, value }) => ({ name: label, value })));
}

/** Fields that any chosen table has. */
async function getTriggerFields(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  return byValue((await tablesOf(this)).flatMap(({ fields }) => fields.map(fieldOption)));
}

/** Under the names that the shared form asks for. */
export const triggerLists = {
  getFields: getTriggerFields,
  getFilterFields: getTriggerFilterFields,
  getFilterOperators: getTriggerFilterOperators,
  getFilterChoices: getTriggerFilterChoices,
};
