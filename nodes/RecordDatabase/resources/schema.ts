import { callOperation, outputs, type Operation, type Resource } from '../../shared/kit/operation';
import { tableLocator } from '../../shared/kit/pickers';
import { v1 } from '../../shared/model/endpoint';
import { oneOf } from '../../shared/model/oneOf';
import { listIn } from '../../shared/model/responses';
import { fullFieldsInfo, listTables } from '../../shared/transport/schema';

export const dataTable: Resource = {
  name: 'dataTable',
  displayName: 'Table',
  operations: [
    callOperation({
      name: 'getAll',
      displayName: 'Get Many',
      action: 'Get many tables',
      description: 'Get all tables of the application',
      endpoint: listTables,
      items: 'data_tables',
    }),
  ],
};

const basicFields = v1('GET /data-tables/{dataTableId}/fields');

const getFields: Operation = {
  name: 'getAll',
  displayName: 'Get Many',
  action: 'Get many fields',
  description: 'Get the fields of a table',
  endpoints: [basicFields, fullFieldsInfo],
  parameters: [
    tableLocator,
    {
      displayName: 'Details',
      name: 'details',
      type: 'options',
      default: 'full',
      options: [
        { name: 'Basic', value: 'basic', description: 'Slug, name and type' },
        { name: 'Full', value: 'full', description: 'Also the field ID, default, choices and connection' },
      ],
    },
  ],
  async run(item) {
    const details = oneOf(['basic', 'full'] as const, item.value('details', 'full'), 'Details');
    const endpoint = details === 'basic' ? basicFields : fullFieldsInfo;
    const { body } = await item.client.call(endpoint, { path: { dataTableId: item.id('dataTableId') } });
    return outputs(listIn(body, 'fields') ?? body);
  },
};

export const field: Resource = { name: 'field', displayName: 'Field', operations: [getFields] };
