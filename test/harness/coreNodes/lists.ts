import lodash from 'lodash';
import type { IDataObject, IExecuteFunctions, INodeExecutionData, INodeType } from 'n8n-workflow';
import { describe } from './describe';

export const limit: INodeType = {
  description: describe('limit', 1, [
    { displayName: 'Max Items', name: 'maxItems', type: 'number', default: 1 },
    {
      displayName: 'Keep',
      name: 'keep',
      type: 'options',
      options: [
        { name: 'First Items', value: 'firstItems' },
        { name: 'Last Items', value: 'lastItems' },
      ],
      default: 'firstItems',
    },
  ]),
  async execute(this: IExecuteFunctions) {
    const items = this.getInputData().map((item, index) => ({ ...item, pairedItem: { item: index } }));
    const maxItems = this.getNodeParameter('maxItems', 0) as number;
    return [
      this.getNodeParameter('keep', 0) === 'lastItems' ? items.slice(-maxItems) : items.slice(0, maxItems),
    ];
  },
};

/** One field, other fields not included: the default of the real node. */
export const splitOut: INodeType = {
  description: describe('splitOut', 1, [
    {
      displayName: 'Fields To Split Out',
      name: 'fieldToSplitOut',
      type: 'string',
      default: '',
      required: true,
    },
  ]),
  async execute(this: IExecuteFunctions) {
    const out = this.getInputData().flatMap((item, index): INodeExecutionData[] => {
      const field = this.getNodeParameter('fieldToSplitOut', index) as string;
      const values = [lodash.get(item.json, field) as unknown].flat();
      return values.map((value) => ({
        json: (lodash.isPlainObject(value) ? value : { [field]: value }) as IDataObject,
        pairedItem: { item: index },
      }));
    });
    return [out];
  },
};

/** "All Item Data (Into a Single List)" only. */
export const aggregate: INodeType = {
  description: describe('aggregate', 1, [
    { displayName: 'Aggregate', name: 'aggregate', type: 'string', default: 'aggregateAllItemData' },
    { displayName: 'Put Output in Field', name: 'destinationFieldName', type: 'string', default: 'data' },
  ]),
  async execute(this: IExecuteFunctions) {
    const items = this.getInputData();
    const field = this.getNodeParameter('destinationFieldName', 0) as string;
    return [
      [{ json: { [field]: items.map(({ json }) => json) }, pairedItem: items.map((_, item) => ({ item })) }],
    ];
  },
};
