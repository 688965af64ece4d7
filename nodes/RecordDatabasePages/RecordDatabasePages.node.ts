/**
 * The node Record Database Pages. n8n loads the class and calls `execute`, which runs the chosen operation with
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

export class RecordDatabasePages implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Record Database Pages',
    name: 'recordDatabasePages',
    icon: {
      light: 'file:../../icons/recordDatabasePages.svg',
      dark: 'file:../../icons/recordDatabasePages.dark.svg',
    },
    group: ['transform'],
    version: 1,
    subtitle: createSubtitle(resources),
    description: 'Read pages and components of the Record Database Service, and save records through them',
    defaults: { name: 'Record Database Pages' },
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
