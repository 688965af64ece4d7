import { tableLocator } from '../../n8n/lists/tablePickers';
import { type Operation, type Resource, createListOperation, toOutputs } from '../../n8n/operation/operation';
import { defineParameter } from '../../n8n/parameters/parameter';
import { type Endpoint, type ListResponse, tableEndpoints } from '../../service';

export const dataTable: Resource = {
  name: 'dataTable',
  displayName: 'Table',
  operations: [
    createListOperation({
      name: 'getAll',
      displayName: 'Get Many',
      action: 'Get many tables',
      description: 'Get all tables of the application',
      endpoint: tableEndpoints.list,
      narrowing: 'A table that is not shown can be used by its name.',
    }),
  ],
};

const details = defineParameter({
  displayName: 'Details',
  name: 'details',
  type: 'options',
  default: 'full',
  options: [
    { name: 'Basic', value: 'basic', description: 'Slug, name and type' },
    { name: 'Full', value: 'full', description: 'Also the field ID, default, choices and connection' },
  ],
});

const getAll: Operation = {
  name: 'getAll',
  displayName: 'Get Many',
  action: 'Get many fields',
  description: 'Get the fields of a table',
  parameters: [tableLocator, details],
  narrowing: 'A choice that is not shown can be used by its label. With Details Basic, more fields fit.',
  async run(item) {
    const endpoint: Endpoint<ListResponse> =
      item.read(details) === 'basic' ? tableEndpoints.listFields : tableEndpoints.listFullFields;
    const { body } = await item.client.call(endpoint, { path: { dataTableId: item.read(tableLocator) } });
    return toOutputs(body.items);
  },
};

export const field: Resource = { name: 'field', displayName: 'Field', operations: [getAll] };
