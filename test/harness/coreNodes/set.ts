import lodash from 'lodash';
import type {
  AssignmentCollectionValue,
  IDataObject,
  IExecuteFunctions,
  INodeExecutionData,
  INodeType,
} from 'n8n-workflow';
import { deepCopy, jsonParse, NodeOperationError, validateFieldType } from 'n8n-workflow';
import { describeNode } from './describeNode';

/**
 * "Edit Fields" from version 3.3 on: typed assignments or raw JSON, with or without the other input fields.
 * Missing: the selected/except lists, and the options strip-binary and ignore-conversion-errors.
 */
export const set: INodeType = {
  description: describeNode(
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
        if (mode === 'raw') Object.assign(json, readRawFields(this, index));
        else assignFields(this, index, json);
        return { json, ...(item.binary && { binary: item.binary }), pairedItem: { item: index } };
      }),
    ];
  },
};

function readRawFields(context: IExecuteFunctions, index: number): IDataObject {
  const value = context.getNodeParameter('jsonOutput', index) as string | IDataObject;
  return typeof value === 'string' ? jsonParse<IDataObject>(value) : value;
}

function assignFields(context: IExecuteFunctions, index: number, json: IDataObject) {
  const { assignments = [] } = context.getNodeParameter(
    'assignments',
    index,
  ) as Partial<AssignmentCollectionValue>;
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
