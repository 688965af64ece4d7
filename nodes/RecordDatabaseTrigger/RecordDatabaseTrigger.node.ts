import {
  type INodeType,
  type INodeTypeDescription,
  type IWebhookFunctions,
  type IWebhookResponseData,
  NodeConnectionTypes,
} from 'n8n-workflow';
import { nodeMethods } from '../n8n/nodeMethods';
import { properties, triggerPanel } from './form';
import { handleDelivery } from './handleDelivery';
import { webhookMethods } from './webhookMethods';

export class RecordDatabaseTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Record Database Trigger',
    name: 'recordDatabaseTrigger',
    icon: {
      light: 'file:../../icons/recordDatabaseTrigger.svg',
      dark: 'file:../../icons/recordDatabaseTrigger.dark.svg',
    },
    group: ['trigger'],
    version: 1,
    subtitle:
      '={{ "record " + [$parameter["events"]].flat().map((event) => ({ INSERT: "created", UPDATE: "updated", DELETE: "deleted" })[event] ?? event).join(", ") }}',
    description:
      'Read, create, update and delete records of the Record Database Service, or start a workflow when they change',
    defaults: { name: 'Record Database Trigger' },
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'recordDatabaseApi', required: true, testedBy: 'recordDatabaseApiTest' }],
    webhooks: [
      {
        name: 'default',
        httpMethod: 'POST',
        responseMode: 'onReceived',
        path: 'webhook',
        // The URL is hidden for a subscription: n8n would show it without the token, which a delivery needs.
        ndvHideUrl: '={{ $parameter["startBy"] !== "address" }}',
      },
    ],
    triggerPanel,
    // Replaces n8n's own text on the canvas, "create an event in Record Database".
    eventTriggerDescription: 'Waiting for you to change a record in the service',
    properties,
  };

  methods = nodeMethods;

  webhookMethods = webhookMethods;

  async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
    return handleDelivery(this);
  }
}
