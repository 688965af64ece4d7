import { isEmpty, uniq } from 'lodash';
import type { IHookFunctions } from 'n8n-workflow';
import { createNodeClient } from '../n8n/http/port';
import { toNodeError } from '../n8n/operation/toNodeError';
import { findTableByNameOrId, isRestart } from '../n8n/trigger/startup';
import { getTable, replaceNamesInStoredFilter } from '../records';
import { type Client, InputError } from '../service';
import { listTableEvents, readIdentityAndData } from './authenticate';
import { compileForm } from './decide';
import { type TriggerParameters, readStartBy, readTriggerParameters, tryReadTablesParameter } from './form';
import type { StaticData } from './staticData';
import {
  type SubscriptionContext,
  SubscriptionApiClient,
  isSubscribed,
  subscribeAll,
  unsubscribeAll,
} from './subscriptions';

interface WebhookMethodContext extends SubscriptionContext {
  client: Client;
  saveStaticData(changes: Partial<StaticData>): void;
}

function readWebhookUrl(context: IHookFunctions): string {
  const url = context.getNodeWebhookUrl('default');
  if (url !== undefined && URL.canParse(url)) return url;
  throw new InputError(
    'n8n has no address for this trigger',
    'Set WEBHOOK_URL in n8n to its public address.',
  );
}

/** Replaces names of tables by IDs, except on unpublishing. @throws InputError for a table that does not exist */
async function createWebhookMethodContext(
  context: IHookFunctions,
  { tableIds, events, startBy }: Pick<TriggerParameters, 'tableIds' | 'events' | 'startBy'>,
  { unpublishes = false } = {},
): Promise<WebhookMethodContext> {
  const client = await createNodeClient(context);
  const find = async (name: string) => (await findTableByNameOrId(client, name, { isFresh: true })).id;
  const tables = unpublishes ? tableIds : await Promise.all(tableIds.map(find));
  return {
    client,
    ...readIdentityAndData(context, client.credential),
    webhookUrl: readWebhookUrl(context),
    tables,
    wanted: listTableEvents(tables, events),
    keepsPastedAddress: startBy === 'address',
    api: new SubscriptionApiClient(client),
  };
}

/** Makes publishing fail if the form contains a mistake. */
async function checkTriggerForm(
  { client, tables: tableIds }: WebhookMethodContext,
  parameters: TriggerParameters,
): Promise<void> {
  const tables = await Promise.all(tableIds.map((tableId) => getTable(client, tableId)));
  const { columns, changedFields } = parameters;
  const named = [
    ...columns.map((name) => [name, 'Fields to Return'] as const),
    ...changedFields.map((name) => [name, 'Watched Fields'] as const),
  ];
  // A name must match a field of at least one chosen table. The error lists the fields of the first table.
  for (const [name, label] of named)
    if (!tables.some((table) => table.findField(name))) tables[0]?.requireField(name, label);
  const clock = { now: new Date(), serviceTimeZone: client.serviceTimeZone };
  for (const table of tables) {
    const filter = await replaceNamesInStoredFilter(client, parameters.filter, table);
    compileForm({ ...parameters, filter }, table, clock);
  }
}

/** On publishing, n8n shows only the message of an error, so the message also contains the remedy. */
const withRemedyInMessage = (run: (context: IHookFunctions) => Promise<boolean>) =>
  async function (this: IHookFunctions): Promise<boolean> {
    return run(this).catch((error: unknown) => {
      throw toNodeError(this.getNode(), error, true);
    });
  };

async function unsubscribe(methodContext: WebhookMethodContext): Promise<void> {
  const { keepsPastedAddress, staticData } = methodContext;
  // Without stored subscriptions, nothing is requested: the API key may lack the permission for webhooks.
  if (keepsPastedAddress && staticData.ids.length === 0 && staticData.addresses.length === 0) return;
  methodContext.saveStaticData(await unsubscribeAll(methodContext));
}

async function subscribe(methodContext: WebhookMethodContext): Promise<void> {
  const { staticData, webhookUrl, tables, saveStaticData } = methodContext;
  // The URL is saved before any request: if a later step fails, `delete` finds the subscriptions by this URL.
  saveStaticData({
    addresses: uniq([...staticData.addresses, webhookUrl]),
    tables: uniq([...staticData.tables, ...tables]),
  });
  saveStaticData(await subscribeAll(methodContext));
}

async function checkExists(context: IHookFunctions): Promise<boolean> {
  const parameters = readTriggerParameters(context);
  // A pasted address has no subscription. After `false`, n8n calls `create`, which checks the form.
  if (parameters.startBy === 'address') return false;
  return isSubscribed(await createWebhookMethodContext(context, parameters));
}

/**
 * In this case, `checkExists` logs an error and returns true. On a restart, n8n 1 calls `delete` if `checkExists`
 * throws: an outage of the service would remove the subscriptions, and events would be lost.
 */
const isRestartWithSubscriptions = (context: IHookFunctions): boolean =>
  isRestart(context) && !isEmpty(context.getWorkflowStaticData('node').ids);

/**
 * n8n calls `checkExists` and `create` on publishing, and `delete` on unpublishing. On a restart, n8n 1 calls
 * `checkExists` and `create`, and n8n 2.41 calls nothing, unless N8N_USE_WORKFLOW_PUBLICATION_SERVICE is false.
 */
export const webhookMethods = {
  default: {
    checkExists: withRemedyInMessage(async (context) =>
      checkExists(context).catch((error: unknown) => {
        if (!isRestartWithSubscriptions(context)) throw error;
        const { message } = toNodeError(context.getNode(), error);
        context.logger.warn(`Record Database Trigger: the subscriptions could not be checked: ${message}`);
        return true;
      }),
    ),

    create: withRemedyInMessage(async (context) => {
      const parameters = readTriggerParameters(context);
      const methodContext = await createWebhookMethodContext(context, parameters);
      await checkTriggerForm(methodContext, parameters);
      await (parameters.startBy === 'address' ? unsubscribe(methodContext) : subscribe(methodContext));
      return true;
    }),

    /** Works even if the form cannot be read, because the IDs of the tables are stored too. */
    delete: withRemedyInMessage(async (context) => {
      const chosen = { tableIds: tryReadTablesParameter(context), events: [], startBy: readStartBy(context) };
      await unsubscribe(await createWebhookMethodContext(context, chosen, { unpublishes: true }));
      return true;
    }),
  },
};
