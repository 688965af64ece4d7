import type { INodeProperties } from 'n8n-workflow';
import { callOperation, type Operation, type Resource } from '../../shared/kit/operation';
import { tableLocator } from '../../shared/kit/pickers';
import { InputError, shown } from '../../shared/model/inputError';
import { oneOf } from '../../shared/model/oneOf';
import { RECORD_EVENTS } from '../../shared/model/subscription';
import { webhookEndpoints } from '../../shared/model/webhooks';
import { isDoneBefore } from '../../shared/transport/errors';

const hookUrl: INodeProperties = {
  displayName: 'Hook URL',
  name: 'hookUrl',
  type: 'string',
  default: '',
  required: true,
  placeholder: 'e.g. https://example.com/hook',
  description: 'Where the service sends each event, as an HTTP POST',
};

const webUrl = (text: string): string => {
  if (/^https?:\/\/[^\s/]/i.test(text)) return text;
  throw new InputError(
    `The Hook URL cannot be ${shown(text)}`,
    'Give an address such as https://example.com/hook.',
  );
};

const subscribe: Operation = callOperation({
  name: 'subscribe',
  displayName: 'Subscribe',
  action: 'Subscribe a webhook',
  description:
    'Have the service call an address on each event. The Record Database Trigger node does this by itself.',
  endpoint: webhookEndpoints.subscribe,
  parameters: [
    tableLocator,
    {
      displayName: 'Event',
      name: 'type',
      type: 'options',
      default: 'INSERT',
      options: [
        { name: 'Record Created', value: 'INSERT' },
        { name: 'Record Deleted', value: 'DELETE' },
        { name: 'Record Updated', value: 'UPDATE' },
      ],
    },
    hookUrl,
    {
      displayName: 'Platform',
      name: 'platform',
      type: 'string',
      default: 'n8n',
      description: 'A word that tells in the list whose subscription it is',
    },
  ],
  request: (item) => ({
    body: {
      data_table_id: item.id('dataTableId'),
      type: oneOf(RECORD_EVENTS, item.value('type', 'INSERT'), 'Event'),
      hookUrl: webUrl(item.text('hookUrl')),
      platform: item.text('platform') || 'n8n',
    },
  }),
});

const unsubscribe: Operation = {
  name: 'unsubscribe',
  displayName: 'Unsubscribe',
  action: 'Unsubscribe a webhook',
  description: 'Remove a subscription, for example one that another system left behind',
  endpoints: [webhookEndpoints.unsubscribe],
  parameters: [
    {
      displayName: 'Subscription ID',
      name: 'subscriptionId',
      type: 'string',
      default: '',
      required: true,
      description: 'The ID of the subscription, as Get Many shows it',
    },
  ],
  async run(item) {
    const id = item.id('subscriptionId');
    if (!id) throw new InputError('The Subscription ID is missing', 'Get it with Get Many.');
    const result = await item.client
      .call(webhookEndpoints.unsubscribe, { body: { id } })
      .catch((error: unknown) => error);
    if (result instanceof Error && !isDoneBefore(result)) throw result;
    return [{ json: { deleted: true, id } }];
  },
};

/** Spec: Webhooks. */
export const webhook: Resource = {
  name: 'webhook',
  displayName: 'Webhook',
  operations: [
    callOperation({
      name: 'getAll',
      displayName: 'Get Many',
      action: 'Get many webhooks',
      description: 'Get the webhook subscriptions, of all tables or of one',
      endpoint: webhookEndpoints.list,
      items: 'items',
      parameters: [{ ...tableLocator, required: false, description: 'Leave empty for all tables' }],
      request(item) {
        const tableId = item.optional('dataTableId');
        return tableId ? { query: { data_table_id: tableId } } : {};
      },
    }),
    subscribe,
    unsubscribe,
  ],
};
