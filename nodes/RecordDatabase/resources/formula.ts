import { formulaEndpoints } from '../../client/endpoints/catalogue';
import type { Endpoint } from '../../client/endpoints/endpoint';
import { createLocator } from '../../n8n/lists/listPicker';
import { tableLocator } from '../../n8n/lists/tablePickers';
import { type Operation, type Resource, createCallOperation, toOutputs } from '../../n8n/operation/operation';
import { defineParameter } from '../../n8n/parameters/parameter';

/** Endpoints that recalculate a field by its slug or its ID, with and without Force (spec: Formulas). */
const RECALCULATION_ENDPOINTS = {
  slug: { plain: formulaEndpoints.updateBySlug, forced: formulaEndpoints.forceBySlug },
  id: { plain: formulaEndpoints.updateById, forced: formulaEndpoints.forceById },
};

const slugLocator = {
  ...createLocator('FieldSlugs', 'Field', 'fieldSlug', 'The formula field to recalculate', {
    displayName: 'By Slug',
    placeholder: 'e.g. total',
  }),
  displayOptions: { show: { fieldBy: ['slug'] } },
};

const fieldIdLocator = {
  ...createLocator('FieldIds', 'Field', 'fieldId', 'The formula field to recalculate'),
  displayOptions: { show: { fieldBy: ['id'] } },
};

const fieldBy = defineParameter({
  displayName: 'Identify Field By',
  name: 'fieldBy',
  type: 'options',
  default: 'slug',
  options: [
    { name: 'ID', value: 'id', description: 'One field of one table' },
    { name: 'Slug', value: 'slug', description: 'Fields with this slug, in whichever table' },
  ],
});

const force = defineParameter({
  displayName: 'Force',
  name: 'force',
  type: 'boolean',
  default: false,
  description: 'Whether to recalculate even where nothing changed',
});

const recalculateField: Operation = {
  name: 'recalculateField',
  displayName: 'Recalculate Field',
  action: 'Recalculate formula field',
  description: 'Recalculate one formula field in all records',
  writes: true,
  parameters: [
    fieldBy,
    { ...tableLocator, required: false, description: 'The table whose fields the list below shows' },
    slugLocator,
    fieldIdLocator,
    force,
  ],
  async run(item) {
    const by = item.read(fieldBy);
    const { plain, forced } = RECALCULATION_ENDPOINTS[by];
    const locator = by === 'slug' ? slugLocator : fieldIdLocator;
    const endpoint: Endpoint = item.read(force) ? forced : plain;
    const { body } = await item.client.call(endpoint, { path: { [locator.name]: item.read(locator) } });
    return toOutputs(body);
  },
};

export const formula: Resource = {
  name: 'formula',
  displayName: 'Formula',
  operations: [
    // The first operation is the default of the form, so it must be one that sends nothing before a field is
    // selected.
    recalculateField,
    createCallOperation({
      name: 'recalculateAll',
      displayName: 'Recalculate All',
      action: 'Recalculate all formulas',
      description: 'Recalculate all formulas of the application',
      endpoint: formulaEndpoints.updateAll,
    }),
    createCallOperation({
      name: 'recalculateTable',
      displayName: 'Recalculate Table',
      action: 'Recalculate formulas of table',
      description: 'Recalculate all formulas of one table',
      endpoint: formulaEndpoints.updateTable,
      parameters: [tableLocator],
    }),
  ],
};
