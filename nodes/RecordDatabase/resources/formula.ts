import type { INodeProperties } from 'n8n-workflow';
import { emptiedWith, locator } from '../../shared/kit/listPicker';
import { callOperation, outputs, type Operation, type Resource } from '../../shared/kit/operation';
import { tableLocator } from '../../shared/kit/pickers';
import { unanswered, v1 } from '../../shared/model/endpoint';
import { oneOf } from '../../shared/model/oneOf';

/** Recalculating twice ends in the same values, but a whole application may take longer than the timeout. */
const recalculation = (path: `/${string}`) => unanswered(v1(`POST ${path}`, 'lasting'));

/** Spec: Formulas. Two ways to name the field, each with a forced form. */
const ENDPOINTS = {
  slug: {
    plain: recalculation('/update-field-formula-by-slug/{fieldSlug}'),
    forced: recalculation('/update-field-formula-by-slug/{fieldSlug}/force'),
  },
  id: {
    plain: recalculation('/update-field-formula-by-id/{fieldId}'),
    forced: recalculation('/update-field-formula-by-id/{fieldId}/force'),
  },
};

const bySlug: INodeProperties = {
  displayName: 'Field',
  name: 'fieldSlug',
  type: 'resourceLocator',
  default: { mode: 'list', value: '' },
  required: true,
  description: 'The formula field to recalculate',
  ...emptiedWith('FieldSlugs'),
  displayOptions: { show: { fieldBy: ['slug'] } },
  modes: [
    {
      displayName: 'From List',
      name: 'list',
      type: 'list',
      placeholder: 'Select a field…',
      typeOptions: { searchListMethod: 'searchFieldSlugs', searchable: true },
    },
    { displayName: 'By Slug', name: 'id', type: 'string', placeholder: 'e.g. total' },
  ],
};

const byFieldId: INodeProperties = {
  ...locator('FieldIds', 'Field', 'fieldId', 'The formula field to recalculate'),
  displayOptions: { show: { fieldBy: ['id'] } },
};

const recalculateField: Operation = {
  name: 'recalculateField',
  displayName: 'Recalculate Field',
  action: 'Recalculate a formula field',
  description: 'Work out one formula field again, in all records',
  endpoints: Object.values(ENDPOINTS).flatMap(({ plain, forced }) => [plain, forced]),
  parameters: [
    {
      displayName: 'Identify Field By',
      name: 'fieldBy',
      type: 'options',
      default: 'slug',
      options: [
        { name: 'ID', value: 'id', description: 'One field of one table' },
        { name: 'Slug', value: 'slug', description: 'Fields with this slug, in whichever table' },
      ],
    },
    { ...tableLocator, required: false, description: 'The table whose fields the list below shows' },
    bySlug,
    byFieldId,
    {
      displayName: 'Force',
      name: 'force',
      type: 'boolean',
      default: false,
      description: 'Whether to recalculate even where nothing changed',
    },
  ],
  async run(item) {
    const by = oneOf(['slug', 'id'] as const, item.value('fieldBy', 'slug'), 'Identify Field By');
    const { plain, forced } = ENDPOINTS[by];
    const name = by === 'slug' ? 'fieldSlug' : 'fieldId';
    const endpoint = item.flag('force') ? forced : plain;
    const { body } = await item.client.call(endpoint, { path: { [name]: item.id(name) } });
    return outputs(body);
  },
};

export const formula: Resource = {
  name: 'formula',
  displayName: 'Formula',
  operations: [
    // First, and so the default: it does nothing before a field was picked.
    recalculateField,
    callOperation({
      name: 'recalculateAll',
      displayName: 'Recalculate All',
      action: 'Recalculate all formulas',
      description: 'Work out all formulas of the application again',
      endpoint: recalculation('/update-all-formula'),
    }),
    callOperation({
      name: 'recalculateTable',
      displayName: 'Recalculate Table',
      action: 'Recalculate the formulas of a table',
      description: 'Work out all formulas of one table again',
      endpoint: recalculation('/update-all-formula/{dataTableId}'),
      parameters: [tableLocator],
    }),
  ],
};
