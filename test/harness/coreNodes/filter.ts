import lodash from 'lodash';
import type { IExecuteFunctions, INodeExecutionData, INodeProperties, INodeType } from 'n8n-workflow';
import { describeNode } from './describeNode';

const conditions: INodeProperties[] = [
  {
    displayName: 'Conditions',
    name: 'conditions',
    type: 'filter',
    default: {},
    typeOptions: { filter: { caseSensitive: true, typeValidation: 'strict', version: 2 } },
  },
];

const VERSIONS = [2, 2.1, 2.2, 2.3];

/** Returns the items that meet the conditions, and the others. */
function splitItems(context: IExecuteFunctions): [INodeExecutionData[], INodeExecutionData[]] {
  const items = context.getInputData().map((item, index) => ({ ...item, pairedItem: { item: index } }));
  // With `extractValue`, n8n-core evaluates a parameter of the type `filter`.
  return lodash.partition(items, ({ pairedItem }) =>
    context.getNodeParameter('conditions', pairedItem.item, false, { extractValue: true }),
  );
}

export const filter: INodeType = {
  description: describeNode('filter', VERSIONS, conditions),
  async execute(this: IExecuteFunctions) {
    return [splitItems(this)[0]];
  },
};

/** "If": outputs "true" and "false". */
export const ifNode: INodeType = {
  description: describeNode('if', VERSIONS, conditions, { outputs: ['main', 'main'] }),
  async execute(this: IExecuteFunctions) {
    return splitItems(this);
  },
};
