import lodash from 'lodash';
import type {
  AssignmentCollectionValue,
  IDataObject,
  IExecuteFunctions,
  INodeExecutionData,
  INodeType,
} from 'n8n-workflow';
import { deepCopy, jsonParse, NodeOperationError, validateFieldType } from 'n8n-workflow';
import { describe } from './describe';

/**
 * "Edit Fields" from version 3.3 on: manual assignments with their types, or raw JSON; other input fields
 * kept or dropped. Left out: the selected/except lists, strip-binary and ignore-conversion-errors options.
 */
export const set: INodeType = {
  description: describe(
    'set',
    [3.3, 3.4],
    [
      {
        displayName: 'Mode',
        name: 'mode',
        type: 'options',
        options: [
          { name: 'Manual Mapping', value: 'manual' },
          { name: 'JSON', value: 'raw' },
        ],
        default: 'manual',
      },
      {
        displayName: 'JSON',
        name: 'jsonOutput',
        type: 'json',
        default: '{}',
        displayOptions: { show: { mode: ['raw'] } },
      },
      {
        displayName: 'Fields to Set',
        name: 'assignments',
        type: 'assignmentCollection',
        default: {},
        displayOptions: { show: { mode: ['manual'] } },
      },
      {
        displayName: 'Include Other Input Fields',
        name: 'includeOtherFields',
        type: 'boolean',
        default: false,
      },
      {
        displayName: 'Options',
        name: 'options',
        type: 'collection',
        default: {},
        options: [
          { displayName: 'Support Dot Notation', name: 'dotNotation', type: 'boolean', default: true },
        ],
      },
    ],
  ),

  async execute(this: IExecuteFunctions) {
    return [
      this.getInputData().map((item, index): INodeExecutionData => {
        const keepOthers = this.getNodeParameter('includeOtherFields', index) as boolean;
        const json = keepOthers ? deepCopy(item.json) : {};
        const mode = this.getNodeParameter('mode', index) as string;
        if (mode === 'raw') Object.assign(json, rawFields(this, index));
        else assignFields(this, index, json);
        return { json, ...(item.binary && { binary: item.binary }), pairedItem: { item: index } };
      }),
    ];
  },
};

function rawFields(context: IExecuteFunctions, index: number): IDataObject {
  const value = context.getNodeParameter('jsonOutput', index) as string | IDataObject;
  return typeof value === 'string' ? jsonParse<IDataObject>(value) : value;
}

function assignFields(context: IExecuteFunctions, index: number, json: IDataObject) {
  const { assignments = [] } = context.getNodeParameter('assignments', index) as AssignmentCollectionValue;
  const dotNotation = context.getNodeParameter('options.dotNotation', index, true) as boolean;
  for (const { name, value, type = 'string' } of assignments) {
    const checked = validateFieldType(name, value, type as 'string');
    if (!checked.valid) {
      throw new NodeOperationError(context.getNode(), checked.errorMessage ?? '', { itemIndex: index });
    }
    const converted = (checked.newValue ?? null) as IDataObject[string];
    if (dotNotation) lodash.set(json, name, converted);
    else json[name] = converted;
  }
}
