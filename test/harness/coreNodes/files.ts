import lodash from 'lodash';
import type { IExecuteFunctions, INodeExecutionData, INodeType } from 'n8n-workflow';
import { jsonParse } from 'n8n-workflow';
import { describeNode } from './describeNode';

/** "Convert to File": a text, or one JSON file for each item. */
export const convertToFile: INodeType = {
  description: describeNode(
    'convertToFile',
    [1, 1.1],
    [
      { displayName: 'Operation', name: 'operation', type: 'string', default: 'csv' },
      { displayName: 'Text Input Field', name: 'sourceProperty', type: 'string', default: '' },
      { displayName: 'Mode', name: 'mode', type: 'string', default: 'once' },
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
      const isJson = this.getNodeParameter('operation', index) === 'toJson';
      const source = this.getNodeParameter('sourceProperty', index) as string;
      const text = isJson ? JSON.stringify(item.json) : String(item.json[source] ?? '');
      const name = this.getNodeParameter('options.fileName', index, 'file.txt') as string;
      const property = this.getNodeParameter('binaryPropertyName', index) as string;
      const type = isJson ? 'application/json' : 'text/plain';
      const binary = await this.helpers.prepareBinaryData(Buffer.from(text), name, type);
      return { json: {}, binary: { [property]: binary }, pairedItem: { item: index } };
    };
    return [await Promise.all(this.getInputData().map(convert))];
  },
};

/** "Extract from File": JSON only. */
export const extractFromFile: INodeType = {
  description: describeNode(
    'extractFromFile',
    [1, 1.1],
    [
      { displayName: 'Operation', name: 'operation', type: 'string', default: 'csv' },
      { displayName: 'Input Binary Field', name: 'binaryPropertyName', type: 'string', default: 'data' },
      { displayName: 'Destination Output Field', name: 'destinationKey', type: 'string', default: 'data' },
    ],
  ),
  async execute(this: IExecuteFunctions) {
    const read = async (_item: INodeExecutionData, index: number): Promise<INodeExecutionData> => {
      const property = this.getNodeParameter('binaryPropertyName', index) as string;
      const buffer = await this.helpers.getBinaryDataBuffer(index, property);
      const key = this.getNodeParameter('destinationKey', index) as string;
      return { json: lodash.set({}, key, jsonParse(buffer.toString())), pairedItem: { item: index } };
    };
    return [await Promise.all(this.getInputData().map(read))];
  },
};
