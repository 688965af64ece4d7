import type { IHookFunctions } from 'n8n-workflow';
import { InputError } from '../shared/model/inputError';
import { namesIn } from '../shared/model/list';
import { Client } from '../shared/transport/client';
import { toNodeError } from '../shared/transport/nodeError';
import { tableFields } from '../shared/transport/schema';
import { forgetLists } from './authenticity';
import { isSubscribed, subscribeAll, unsubscribeAll, type Lifecycle } from './lifecycle';
import { matcherFor, needsFields } from './recordFilter';
import { ApiSubscriptions } from './service';
import { columnsOf, eventsOf, hookOf, nodeKey, safely, tablesOf } from './settings';
import { readState, writeState, type State } from './state';
import { wantedFor } from './subscriptions';

const WITHOUT_TOKEN =
  'Record Database Trigger: the service drops the query string of the address, and with it the token that shows who calls. Deliveries are taken without it and marked "_notChecked". "Verify by Reading the Record" makes up for it.';

interface Session extends Lifecycle {
  client: Client;
  save(changes: Partial<State>): void;
}

function urlOf(context: IHookFunctions): string {
  const url = context.getNodeWebhookUrl('default');
  if (url !== undefined && URL.canParse(url)) return url;
  throw new InputError(
    'n8n has no address for this trigger',
    'Set WEBHOOK_URL in n8n to its public address.',
  );
}

async function open(context: IHookFunctions, tables: string[]): Promise<Session> {
  const client = await Client.for(context);
  const hook = hookOf(context, client);
  const data = context.getWorkflowStaticData('node');
  const state = readState(data, hook.owner);
  const save = (changes: Partial<State>) => writeState(data, hook.owner, changes);
  const webhookUrl = urlOf(context);
  return { client, hook, webhookUrl, state, tables, save, service: new ApiSubscriptions(client) };
}

const wantedOf = (context: IHookFunctions, { hook, webhookUrl, tables }: Session) =>
  wantedFor(tables, eventsOf(context), (tableId, event) => hook.address(webhookUrl, tableId, event));

/** Reads the fields that the form speaks of and tries the form on them, so that mistakes show at once. */
async function checkedFields(context: IHookFunctions, { client, tables }: Session): Promise<State['fields']> {
  if (!needsFields(context)) return {};
  const read = await Promise.all(tables.map((tableId) => tableFields(client, tableId)));
  for (const table of read) matcherFor(context, table);
  const known = new Set(read.flatMap(({ fields }) => fields.flatMap(({ slug, fieldId }) => [slug, fieldId])));
  for (const column of columnsOf(context)) {
    if (!known.has(column)) read[0]?.field(column, 'Fields to Keep');
  }
  return Object.fromEntries(read.map(({ id, fields }) => [id, fields]));
}

/** n8n shows what a hook throws to whoever publishes: in the package's words. */
const explaining = (work: (context: IHookFunctions) => Promise<boolean>) =>
  async function (this: IHookFunctions): Promise<boolean> {
    return work(this).catch((error: unknown) => {
      throw toNodeError(this.getNode(), error);
    });
  };

/** n8n 2.40 calls `checkExists` and `create` when publishing, `delete` when unpublishing, none at a restart. */
export const webhookMethods = {
  default: {
    checkExists: explaining(async (context) => {
      const session = await open(context, tablesOf(context));
      return isSubscribed(session, wantedOf(context, session));
    }),

    create: explaining(async (context) => {
      const session = await open(context, tablesOf(context));
      const wanted = wantedOf(context, session);
      const fields = await checkedFields(context, session);
      // Noted before anything is sent: should the rest fail, `delete` finds it under this address.
      const addresses = [...new Set([...session.state.addresses, session.webhookUrl])];
      session.save({ addresses, tables: [...new Set([...session.state.tables, ...session.tables])] });
      const subscribed = await subscribeAll(session, wanted);
      session.save({ ...subscribed, fields });
      forgetLists(nodeKey(context));
      if (subscribed.dropsToken) context.logger.warn(WITHOUT_TOKEN);
      return true;
    }),

    /** Works whatever became of the form: the tables are only where to look. */
    delete: explaining(async (context) => {
      const tables = safely(() => namesIn(context.getNodeParameter('tables', [])), []);
      const session = await open(context, tables);
      session.save(await unsubscribeAll(session));
      forgetLists(nodeKey(context));
      return true;
    }),
  },
};
