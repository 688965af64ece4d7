import lodash from 'lodash';
import type { IDataObject, IExecuteFunctions, INodeExecutionData, INodeType } from 'n8n-workflow';
import { describeNode } from './describeNode';

/** Splits one field and drops the others, the default of the real node. */
export const splitOut: INodeType = {
  description: describeNode('splitOut', 1, [
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
