/**
 * The node Record Database Import/Export. n8n loads the class and calls `execute`, which runs the chosen operation with
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

export class RecordDatabaseImportExport implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Record Database Import/Export',
    name: 'recordDatabaseImportExport',
    icon: {
      light: 'file:../../icons/recordDatabaseImportExport.svg',
      dark: 'file:../../icons/recordDatabaseImportExport.dark.svg',
    },
    group: ['transform'],
    version: 1,
    subtitle: createSubtitle(resources),
    description: 'Import files into the Record Database Service, and export records as files',
    defaults: { name: 'Record Database Import/Export' },
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    usableAsTool: describeTool(properties, ['runItems']),
    credentials: [{ name: 'recordDatabaseApi', required: true, testedBy: 'recordDatabaseApiTest' }],
    properties,
  };

  methods = nodeMethods;

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    return runItems(this, resources);
  }
}
