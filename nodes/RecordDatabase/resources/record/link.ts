import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { Item } from '../../../shared/kit/item';
import type { Entries } from '../../../shared/model/fields';
import { InputError } from '../../../shared/model/inputError';

/** Option of Create: connect the new record to a parent (spec: Linked record creation). */
export const linkOption: INodeProperties = {
  displayName: 'Link to Parent',
  name: 'link',
  type: 'fixedCollection',
  default: {},
  placeholder: 'Add Parent',
  description: 'Connect the new record to a record of another table',
  options: [
    {
      displayName: 'Parent',
      name: 'parent',
      values: [
        {
          displayName: 'Parent Table Name or ID',
          name: 'tableId',
          type: 'options',
          default: '',
          typeOptions: { loadOptionsMethod: 'getTables' },
          description:
            'Table that holds the parent and its connection field. Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
        },
        {
          displayName: 'Connection Field Name or ID',
          name: 'fieldId',
          type: 'options',
          default: '',
          typeOptions: { loadOptionsMethod: 'getConnectionFields', loadOptionsDependsOn: ['&tableId'] },
          description:
            'Field that connects the two tables. Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
        },
        {
          displayName: 'Parent Record ID',
          name: 'recordId',
          type: 'string',
          default: '',
          description: 'The ID of the record to connect to',
        },
      ],
    },
  ],
};

interface Parent {
  fieldId?: string;
  recordId?: string;
}

/** `connected_to` for the payload. @throws InputError when half of it is missing */
export function linkOf(item: Item): IDataObject | undefined {
  const parent = (item.options.link as { parent?: Parent } | undefined)?.parent;
  if (!parent) return undefined;
  const [field_id, record_id] = [parent.fieldId, parent.recordId].map((one) => String(one ?? '').trim());
  if (!field_id || !record_id) {
    throw new InputError(
      `Link to Parent: the ${field_id ? 'Parent Record ID' : 'Connection Field'} is missing`,
      'Choose both, or remove the option. An expression here may have found nothing.',
    );
  }
  return { join_type: 'joinTo', field_id, record_id };
}

/** The link as payload entries: one object in JSON, one key a part in a form. */
export const linkEntries = (link: IDataObject): Entries =>
  Object.entries(link).map(([key, value]) => [`connected_to[${key}]`, String(value)]);
