import {
  type INodeExecutionData,
  type INodeType,
  type INodeTypeDescription,
  type IPollFunctions,
  NodeConnectionTypes,
} from 'n8n-workflow';
import { nodeMethods } from '../n8n/nodeMethods';
import { properties } from './form';
import { pollChanges } from './poll';

export class RecordDatabasePollingTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Record Database Polling Trigger',
    name: 'recordDatabasePollingTrigger',
    icon: {
      light: 'file:../../icons/recordDatabasePollingTrigger.svg',
      dark: 'file:../../icons/recordDatabasePollingTrigger.dark.svg',
    },
    group: ['trigger'],
    version: 1,
    subtitle:
      '={{ $parameter["triggerOn"] === "logEntryAdded" ? "log entry added" : $parameter["triggerOn"] === "recordCreated" ? "record created" : $parameter["triggerOn"] === "recordCreatedOrUpdated" ? "record created or updated" : "record created, updated or deleted" }}',
    description:
      'Check the Record Database Service at intervals, and start a workflow for new, changed or deleted records or new log entries',
    defaults: { name: 'Record Database Polling Trigger' },
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'recordDatabaseApi', required: true, testedBy: 'recordDatabaseApiTest' }],
    polling: true,
    properties,
  };

  methods = nodeMethods;

  async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
    return pollChanges(this);
  }
}
