/** Spec: Webhooks. */
import { uniqBy } from 'lodash';
import { returnSecretsOption } from '../../n8n/agent/agent';
import { createOptionalTable, tableLocator } from '../../n8n/lists/tablePickers';
import { type Operation, type Resource, createCallOperation, toOutputs } from '../../n8n/operation/operation';
import { createOptions, defineParameter } from '../../n8n/parameters/parameter';
import {
  asObject,
  type Client,
  formatForError,
  InputError,
  tableEndpoints,
  webhookEndpoints,
} from '../../service';

const hookUrlParameter = defineParameter({
  displayName: 'URL to Call',
  name: 'hookUrl',
  type: 'string',
  default: '',
  required: true,
  placeholder: 'e.g. https://example.com/hook',
  description: 'The address that the service calls on each event',
});

const eventParameter = defineParameter({
  displayName: 'Event',
  name: 'type',
  type: 'options',
  default: 'INSERT',
  options: [
    { name: 'Record Created', value: 'INSERT' },
    { name: 'Record Deleted', value: 'DELETE' },
    { name: 'Record Updated', value: 'UPDATE' },
  ],
});

const subscriptionIdParameter = defineParameter({
  displayName: 'Subscription ID',
  name: 'subscriptionId',
  type: 'string',
  default: '',
  required: true,
  description: 'The ID of the subscription, as Get Many returns it',
});

const optionalTableParameter = createOptionalTable(
  'Only the subscriptions of this table. All tables take one request each.',
  'Empty: all tables',
);

const parseHookUrl = (text: string): string => {
  if (/^https?:\/\/[^\s/]/i.test(text)) return text;
  throw new InputError(
    `URL to Call cannot be ${formatForError(text)}`,
    'Give an address such as https://example.com/hook.',
  );
};

const subscribe: Operation = createCallOperation({
  name: 'subscribe',
  displayName: 'Subscribe',
  action: 'Subscribe to record changes',
  description: 'Register an address that the service calls on each event. The trigger does this by itself.',
  endpoint: webhookEndpoints.subscribe,
  parameters: [tableLocator, eventParameter, hookUrlParameter],
  request: (item) => ({
    body: {
      data_table_id: item.read(tableLocator),
      type: item.read(eventParameter),
      hookUrl: parseHookUrl(item.read(hookUrlParameter)),
      platform: 'n8n',
    },
  }),
});

/** Requests each table's list: the spec does not call `data_table_id` optional. See silences.md: `subscriptionList`. */
async function listSubscriptions(client: Client, tableId?: string): Promise<unknown[]> {
  const tableIds = tableId
    ? [tableId]
    : (await client.call(tableEndpoints.list)).body.items.map(({ id }) => id);
  const lists = await Promise.all(
    tableIds.map((id) => client.call(webhookEndpoints.list, { query: { data_table_id: id } })),
  );
  const subscriptions = lists.flatMap(({ body }) => body.items as unknown[]);
  // A service that ignores the table returns every subscription for each table, so duplicates are left out.
  return uniqBy(subscriptions, (subscription) => asObject(subscription).id ?? subscription);
}

const unsubscribe: Operation = {
  name: 'unsubscribe',
  displayName: 'Unsubscribe',
  action: 'Unsubscribe from record changes',
  description: 'Remove a subscription, for example one that another system left behind',
  writes: true,
  parameters: [subscriptionIdParameter],
  async run(item) {
    const id = item.read(subscriptionIdParameter);
    await item.client.call(webhookEndpoints.unsubscribe, { body: { id } });
    return [{ json: { deleted: true, id } }];
  },
};

/** The token in the address of a trigger authenticates deliveries, so execution data must not contain it. */
const maskUrlToken = (subscription: unknown) => {
  const json = asObject(subscription);
  const { hookUrl } = json;
  return typeof hookUrl === 'string'
    ? { ...json, hookUrl: hookUrl.replace(/([?&]token=)[^&#]*/g, '$1•••') }
    : json;
};

const getAll: Operation = {
  name: 'getAll',
  displayName: 'Get Many',
  action: 'Get many webhook subscriptions',
  description:
    'Get the webhook subscriptions, of all tables or of one. The token in the address of a trigger is masked.',
  // The keys of a subscription (spec: Webhook subscription) but `hookUrl`, which may contain the token of a trigger.
  shownKeys: new Set(['id', 'data_table_id', 'type', 'platform']),
  parameters: [optionalTableParameter, createOptions(returnSecretsOption)],
  run: async (item) =>
    toOutputs((await listSubscriptions(item.client, item.read(optionalTableParameter))).map(maskUrlToken)),
};

export const webhook: Resource = {
  name: 'webhook',
  displayName: 'Webhook',
  operations: [getAll, subscribe, unsubscribe],
};
