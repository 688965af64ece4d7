import { createLocator } from '../../n8n/lists/listPicker';
import { createPickedCondition, tableLocator } from '../../n8n/lists/tablePickers';
import type { Item } from '../../n8n/operation/item';
import { type Operation, type Resource, toOutputs } from '../../n8n/operation/operation';
import { createOptions, defineParameter } from '../../n8n/parameters/parameter';
import { type CallOptions, type Endpoint, formulaEndpoints } from '../../service';

// The default scope needs a field, so the operation cannot run before the user has picked one.
const scopeParameter = defineParameter({
  displayName: 'Scope',
  name: 'scope',
  type: 'options',
  default: 'field',
  description: 'Which formulas to recalculate, in all records',
  options: [
    { name: 'One Field', value: 'field', description: 'One formula field' },
    { name: 'One Table', value: 'table', description: 'All formulas of one table' },
    { name: 'All Tables', value: 'all', description: 'All formulas of the application' },
  ],
});

const tableParameter = { ...tableLocator, displayOptions: { show: { scope: ['table', 'field'] } } };

const formulaFieldLocator = {
  ...createLocator('FormulaFields', 'Field', 'fieldId', 'The formula field to recalculate', {
    modes: [{ displayName: 'By Slug', name: 'slug', type: 'string', placeholder: 'e.g. total' }],
  }),
  displayOptions: { show: { scope: ['field'] }, ...createPickedCondition('dataTableId') },
};

const forceOption = defineParameter({
  displayName: 'Force',
  name: 'force',
  type: 'boolean',
  default: true,
  displayOptions: { show: { '/scope': ['field'] } },
  description: 'Whether to recalculate even where nothing changed',
});

function chooseFormulaEndpoint(item: Item): [Endpoint, CallOptions] {
  const chosen = item.read(scopeParameter);
  if (chosen === 'all') return [formulaEndpoints.updateAll, {}];
  if (chosen === 'table')
    return [formulaEndpoints.updateTable, { path: { dataTableId: item.read(tableParameter) } }];
  // The list of fields returns IDs, because fields of several tables may have the same slug.
  const { updateBySlug, forceBySlug, updateById, forceById } = formulaEndpoints;
  const isForced = item.readOption(forceOption);
  const field = item.read(formulaFieldLocator);
  return item.readLocatorMode(formulaFieldLocator) === 'slug'
    ? [isForced ? forceBySlug : updateBySlug, { path: { fieldSlug: field } }]
    : [isForced ? forceById : updateById, { path: { fieldId: field } }];
}

const recalculate: Operation = {
  name: 'recalculate',
  displayName: 'Recalculate',
  action: 'Recalculate formulas',
  description: 'Recalculate one formula field, all formulas of a table, or all of the application',
  writes: true,
  parameters: [scopeParameter, tableParameter, formulaFieldLocator, createOptions(forceOption)],
  run: async (item) => toOutputs((await item.client.call(...chooseFormulaEndpoint(item))).body),
};

/** Spec: Formulas. */
export const formula: Resource = { name: 'formula', displayName: 'Formula', operations: [recalculate] };
