import {
  NodeConnectionTypes,
  type INodeType,
  type INodeTypeDescription,
  type IWebhookFunctions,
  type IWebhookResponseData,
} from 'n8n-workflow';
import { nodeMethods } from '../shared/kit/methods';
import { webhookMethods } from './hooks';
import { triggerLists } from './lists';
import { panel } from './panel';
import { properties } from './properties';
import { receive } from './receive';

export class RecordDatabaseTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Record Database Trigger',
    name: 'recordDatabaseTrigger',
    icon: { light: 'file:../../icons/recordDatabase.svg', dark: 'file:../../icons/recordDatabase.dark.svg' },
    group: ['trigger'],
    version: 1,
    subtitle: '={{ [$parameter["events"]].flat().join(", ") }}',
    description:
      'Starts the workflow when records of the Record Database Service are created, updated or deleted',
    defaults: { name: 'Record Database Trigger' },
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'recordDatabaseApi', required: true, testedBy: 'recordDatabaseApiTest' }],
    webhooks: [{ name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: 'webhook' }],
    triggerPanel: panel,
    properties,
  };

  methods = { ...nodeMethods, loadOptions: { ...nodeMethods.loadOptions, ...triggerLists } };

  webhookMethods = webhookMethods;

  async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
    return receive(this);
  }
}
