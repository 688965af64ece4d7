/**
 * The node Record Database Tasks. n8n loads the class and calls `execute`, which runs the chosen operation with
 * `runItems`.
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

export class RecordDatabaseTasks implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Record Database Tasks',
    name: 'recordDatabaseTasks',
    icon: {
      light: 'file:../../icons/recordDatabaseTasks.svg',
      dark: 'file:../../icons/recordDatabaseTasks.dark.svg',
    },
    group: ['transform'],
    version: 1,
    subtitle: createSubtitle(resources),
    description: 'Run, watch and stop tasks and automations of the Record Database Service',
    defaults: { name: 'Record Database Tasks' },
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    usableAsTool: describeTool(properties),
    credentials: [{ name: 'recordDatabaseApi', required: true, testedBy: 'recordDatabaseApiTest' }],
    properties,
  };

  methods = nodeMethods;

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    return runItems(this, resources);
  }
}
