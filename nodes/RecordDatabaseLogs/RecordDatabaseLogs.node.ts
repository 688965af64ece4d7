import {
  NodeConnectionTypes,
  type IExecuteFunctions,
  type INodeExecutionData,
  type INodeType,
  type INodeTypeDescription,
} from 'n8n-workflow';
import { nodeMethods } from '../shared/kit/methods';
import { nodeProperties } from '../shared/kit/properties';
import { runItems } from '../shared/kit/runItems';
import { resources } from './resources';

export class RecordDatabaseLogs implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Record Database Logs',
    name: 'recordDatabaseLogs',
    icon: { light: 'file:../../icons/recordDatabase.svg', dark: 'file:../../icons/recordDatabase.dark.svg' },
    group: ['transform'],
    version: 1,
    subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
    description: 'Read logins, page views, e-mails and other logs of the Record Database Service',
    defaults: { name: 'Record Database Logs' },
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    usableAsTool: true,
    credentials: [{ name: 'recordDatabaseApi', required: true, testedBy: 'recordDatabaseApiTest' }],
    properties: nodeProperties(resources, 'getLogins'),
  };

  methods = nodeMethods;

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    return runItems(this, resources);
  }
}
