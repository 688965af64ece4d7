import type { IExecuteFunctions, INodeExecutionData, INodeProperties, INodeType } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { describe } from './describe';

const { Main } = NodeConnectionTypes;

const conditions: INodeProperties[] = [
  {
    displayName: 'Conditions',
    name: 'conditions',
    type: 'filter',
    default: {},
    typeOptions: { filter: { caseSensitive: true, typeValidation: 'strict', version: 2 } },
  },
];

/** n8n-core itself evaluates a `filter` parameter when `extractValue` is asked for. */
const passes = (context: IExecuteFunctions, index: number) =>
  context.getNodeParameter('conditions', index, false, { extractValue: true }) as boolean;

function partition(context: IExecuteFunctions) {
  const passed: INodeExecutionData[] = [];
  const failed: INodeExecutionData[] = [];
  context.getInputData().forEach((item, index) => {
    (passes(context, index) ? passed : failed).push({ ...item, pairedItem: { item: index } });
  });
  return { passed, failed };
}

export const ifNode: INodeType = {
  description: describe('if', [2, 2.1, 2.2, 2.3], conditions, {
    outputs: [Main, Main],
    outputNames: ['true', 'false'],
  }),
  async execute(this: IExecuteFunctions) {
    const { passed, failed } = partition(this);
    return [passed, failed];
  },
};

export const filter: INodeType = {
  description: describe('filter', [2, 2.1, 2.2, 2.3], conditions),
  async execute(this: IExecuteFunctions) {
    return [partition(this).passed];
  },
};
