import type { IExecuteFunctions, INodeProperties, INodeType } from 'n8n-workflow';
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

export const filter: INodeType = {
  description: describeNode('filter', [2, 2.1, 2.2, 2.3], conditions),
  async execute(this: IExecuteFunctions) {
    const items = this.getInputData().map((item, index) => ({ ...item, pairedItem: { item: index } }));
    // With `extractValue`, n8n-core evaluates a parameter of the type `filter`.
    const passes = (index: number) =>
      this.getNodeParameter('conditions', index, false, { extractValue: true });
    return [items.filter((_item, index) => passes(index))];
  },
};
