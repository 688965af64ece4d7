import type { INodeExecutionData, INodeType, INodeTypeDescription, IPollFunctions } from 'n8n-workflow';
import { describeNode, nodeMethods } from '../n8n/nodeMethods';
import { properties } from './form';
import { pollChanges } from './poll';

export class RecordDatabasePollingTrigger implements INodeType {
  description: INodeTypeDescription = {
    ...describeNode('recordDatabasePollingTrigger', 'Record Database Polling Trigger', 'trigger'),
    icon: {
      light: 'file:../../icons/recordDatabasePollingTrigger.svg',
      dark: 'file:../../icons/recordDatabasePollingTrigger.dark.svg',
    },
    subtitle:
      '={{ $parameter["triggerOn"] === "logEntryAdded" ? "log entry added" : $parameter["triggerOn"] === "recordCreated" ? "record created" : $parameter["triggerOn"] === "recordCreatedOrUpdated" ? "record created or updated" : "record created, updated or deleted" }}',
    description:
      'Check the Record Database Service at intervals, and start a workflow for new, changed or deleted records or new log entries',
    inputs: [],
    polling: true,
    properties,
  };

  methods = nodeMethods;

  async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
    return pollChanges(this);
  }
}
