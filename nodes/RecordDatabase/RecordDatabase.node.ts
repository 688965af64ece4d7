/**
 * The node Record Database. n8n loads the class and calls `execute`, which runs the chosen operation with `runItems`.
 */
import {
  type IExecuteFunctions,
  type INodeExecutionData,
  type INodeType,
  type INodeTypeDescription,
  NodeConnectionTypes,
} from 'n8n-workflow';
import { describeTool } from '../n8n/agent/toolForm';
import { nodeMethods } from '../n8n/nodeMethods';
import { createNodeProperties, createSubtitle } from '../n8n/operation/nodeProperties';
import { runItems } from '../n8n/operation/runItems';
import { resources } from './resources';

const properties = createNodeProperties(resources);

export class RecordDatabase implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Record Database',
    name: 'recordDatabase',
    icon: { light: 'file:../../icons/recordDatabase.svg', dark: 'file:../../icons/recordDatabase.dark.svg' },
    group: ['transform'],
    version: 1,
    subtitle: createSubtitle(resources),
    description: 'Read and change records of the Record Database Service',
    defaults: { name: 'Record Database' },
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    usableAsTool: describeTool(properties, ['sync', 'undo']),
    credentials: [{ name: 'recordDatabaseApi', required: true, testedBy: 'recordDatabaseApiTest' }],
    properties,
  };

  methods = nodeMethods;

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    return runItems(this, resources);
  }
}
