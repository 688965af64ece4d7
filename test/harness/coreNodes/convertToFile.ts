import type { IExecuteFunctions, INodeExecutionData, INodeType } from 'n8n-workflow';
import { describeNode } from './describeNode';

/** "Convert to Text File" only. */
export const convertToFile: INodeType = {
  description: describeNode(
    'convertToFile',
    [1, 1.1],
    [
      { displayName: 'Operation', name: 'operation', type: 'string', default: 'toText' },
      { displayName: 'Text Input Field', name: 'sourceProperty', type: 'string', default: '' },
      {
        displayName: 'Put Output File in Field',
        name: 'binaryPropertyName',
        type: 'string',
        default: 'data',
      },
      {
        displayName: 'Options',
        name: 'options',
        type: 'collection',
        default: {},
        options: [{ displayName: 'File Name', name: 'fileName', type: 'string', default: '' }],
      },
    ],
  ),
  async execute(this: IExecuteFunctions) {
    const convert = async (item: INodeExecutionData, index: number): Promise<INodeExecutionData> => {
      const text = String(item.json[this.getNodeParameter('sourceProperty', index) as string] ?? '');
      const name = this.getNodeParameter('options.fileName', index, 'file.txt') as string;
      const property = this.getNodeParameter('binaryPropertyName', index) as string;
      const binary = await this.helpers.prepareBinaryData(Buffer.from(text), name, 'text/plain');
      return { json: {}, binary: { [property]: binary }, pairedItem: { item: index } };
    };
    return [await Promise.all(this.getInputData().map(convert))];
  },
};
