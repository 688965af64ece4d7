/** The subscriptions of the trigger in the service. */
import { compact, uniq, uniqBy } from 'lodash';
import { findTableName } from '../n8n/trigger/startup';
import {
  ApiError,
  type Client,
  formatForError,
  rewordError,
  parseSubscriptions,
  type Subscription,
  webhookEndpoints,
} from '../service';
import {
  type TableEvent,
  type WebhookIdentity,
  hashToken,
  matchesWebhookUrl,
  readUrlToken,
} from './authenticate';
import { getEventLabel } from './form';
import type { StaticData } from './staticData';

/** If a request fails, removes the subscriptions that this call has created. @returns the static data to store */
export async function subscribeAll(context: SubscriptionContext): Promise<Partial<StaticData>> {
  const { identity, webhookUrl, wanted } = context;
  const before = await fetchSubscriptions(context);
  const created: string[] = [];
  const kept = await changeSubscriptions(context, before, created).catch(async (error: unknown) => {
    await removeCreatedSubscriptions(context, before, created);
    throw error;
  });
  return {
    ids: kept.map(({ id }) => id),
    tables: uniq(wanted.map(({ tableId }) => tableId)),
    addresses: [webhookUrl],
    tokens: wanted.map((one) => hashToken(identity.computeToken(one.tableId, one.event), one)),
  };
}

/**
 * `keep` contains one subscription for each table and event, with the present URL and a valid token. A second one would
 * deliver every event twice, so it is in `remove`.
 */
export function diffSubscriptions(context: SubscriptionContext, listed: Subscription[]) {
  const { identity, webhookUrl, wanted } = context;
  const own = filterOwnSubscriptions(context, listed);
  const kept = wanted.map(({ tableId, event }) =>
    own.find(
      ({ data_table_id, type, hookUrl }) =>
        data_table_id === tableId &&
        type === event &&
        identity.isValidToken(readUrlToken(hookUrl) ?? '', tableId, event) &&
        matchesWebhookUrl(hookUrl, webhookUrl),
    ),
  );
  const keep = compact(kept);
  const create = wanted.filter((_, index) => !kept[index]);
  const remove = own.filter((one) => !keep.includes(one));
  return { create, keep, remove, isEmpty: create.length === 0 && remove.length === 0 };
}

export interface SubscriptionContext {
  api: Pick<SubscriptionApiClient, 'list' | 'subscribe' | 'unsubscribe'>;
  identity: WebhookIdentity;
  webhookUrl: string;
  staticData: StaticData;
  /** Pairs of a chosen table and event. Each pair needs its own subscription (spec: Events). */
  wanted: TableEvent[];
  /** IDs of the tables chosen in the form. */
  tables: string[];
  /** Whether the user pasted the address into the service. The trigger then does not remove the webhook of the user. */
  keepsPastedAddress: boolean;
}

const fetchSubscriptions = ({ api, staticData, tables }: SubscriptionContext) =>
  api.list(uniq([...tables, ...staticData.tables]));

/** Leaves out the webhook of a pasted address: the user made it, and it has no token. */
const filterOwnSubscriptions = (
  { identity, webhookUrl, staticData, keepsPastedAddress }: SubscriptionContext,
  listed: Subscription[],
): Subscription[] =>
  listed
    .filter(({ hookUrl }) => !keepsPastedAddress || readUrlToken(hookUrl) !== undefined)
    .filter((one) => identity.ownsSubscription(one, webhookUrl, staticData.addresses));

const { list, subscribe, unsubscribe } = webhookEndpoints;

/** Shows other clients of the application which system a subscription belongs to (spec: Webhook subscription). */
const SUBSCRIPTION_PLATFORM = 'n8n';

/** With these statuses, a service refuses to list the subscriptions of a deleted table, or of all tables. */
const LIST_REFUSED_STATUSES = [400, 404, 422];

/** Ignores only errors of the service: a 404 of a proxy does not mean that a table or subscription is gone. */
const ignoreStatuses =
  (statuses: number[]) =>
  (error: unknown): undefined => {
    const isOwn = error instanceof ApiError && error.isFromService;
    if (isOwn && statuses.includes(error.status ?? 0)) return undefined;
    throw error;
  };

const rethrowWithPrefix =
  (what: string) =>
  (error: unknown): never => {
    throw rewordError(error, ({ message }) => ({ message: `${what}: ${message}` }));
  };

/** Spec: Webhooks. Every method throws an ApiError if its request fails. */
export class SubscriptionApiClient {
  constructor(private readonly client: Client) {}

  /** Requests a list for each table, and a list without a table, which may have subscriptions of deleted tables. */
  async list(tableIds: string[]): Promise<Subscription[]> {
    const queries = [...tableIds.map((data_table_id) => ({ data_table_id })), undefined];
    const lists = await Promise.all(queries.map((query) => this.fetchList(query)));
    return uniqBy(lists.flat(), 'id');
  }

  private async fetchList(query?: { data_table_id: string }): Promise<Subscription[]> {
    const response = await this.client
      .call(list, { query })
      .catch(ignoreStatuses(LIST_REFUSED_STATUSES))
      .catch(rethrowWithPrefix("The service's webhooks could not be listed"));
    return parseSubscriptions(response?.body.items ?? []);
  }

  async subscribe({ tableId, event }: TableEvent, hookUrl: string): Promise<string | undefined> {
    const body = { data_table_id: tableId, type: event, hookUrl, platform: SUBSCRIPTION_PLATFORM };
    // An error of the service may repeat the URL, so the token is removed from the message.
    const secrets = [readUrlToken(hookUrl) ?? ''];
    const response = await this.client.call(subscribe, { body, secrets }).catch(async (error: unknown) => {
      const table = formatForError(await findTableName(this.client, tableId).catch(() => tableId));
      const what = `The webhook for "${getEventLabel(event)}" in table ${table} could not be created`;
      return rethrowWithPrefix(what)(error);
    });
    return response.body.id;
  }

  /** Does not throw if the subscription no longer exists. */
  async unsubscribe(id: string): Promise<void> {
    await this.client
      .call(unsubscribe, { body: { id } })
      .catch(ignoreStatuses([404]))
      .catch(rethrowWithPrefix(`The webhook ${id} could not be removed`));
  }
}

/** Each round changes the subscriptions and lists them again. */
const MAX_CHANGE_ROUNDS = 4;

export const isSubscribed = async (context: SubscriptionContext): Promise<boolean> =>
  diffSubscriptions(context, await fetchSubscriptions(context)).isEmpty;

/**
 * Creates before it removes, so that no event is lost. If a response is lost, the next list shows whether the
 * subscription was created. @param created receives the IDs of the created subscriptions
 */
async function applySubscriptionDiff(
  { api, identity, webhookUrl }: SubscriptionContext,
  { create, remove }: Pick<ReturnType<typeof diffSubscriptions>, 'create' | 'remove'>,
  created: string[],
): Promise<void> {
  for (const source of create) {
    const hookUrl = identity.buildHookUrl(webhookUrl, source.tableId, source.event);
    const id = await api.subscribe(source, hookUrl).catch((error: unknown) => ignoreUnknownOutcome(error));
    if (id !== undefined) created.push(id);
  }
  for (const { id } of remove) await api.unsubscribe(id);
}

function ignoreUnknownOutcome(error: unknown): undefined {
  if (error instanceof ApiError && error.isOutcomeUnknown) return undefined;
  throw error;
}

const createListMismatchError = () =>
  new ApiError({
    message: 'The service does not list the subscriptions of this trigger as they were made',
    description:
      'No new subscription was kept. Look for another workflow with a copy of this trigger, which changes them at the same time. If there is none, the service may remove the token from their addresses: choose "Address to Paste" under "Start By".',
  });

/** Changes and lists in turn, because only the list of the service shows whether a change was made. */
async function changeSubscriptions(
  context: SubscriptionContext,
  first: Subscription[],
  created: string[],
): Promise<Subscription[]> {
  let listed = first;
  for (let pass = 0; pass < MAX_CHANGE_ROUNDS; pass++) {
    const plan = diffSubscriptions(context, listed);
    if (plan.isEmpty) return plan.keep;
    await applySubscriptionDiff(context, plan, created);
    listed = await fetchSubscriptions(context);
  }
  throw createListMismatchError();
}

/** Cleans up after a failed call of `subscribeAll`. Never throws. */
async function removeCreatedSubscriptions(
  context: SubscriptionContext,
  before: Subscription[],
  created: string[],
): Promise<void> {
  const listed = await fetchSubscriptions(context).catch(() => []);
  const own = filterOwnSubscriptions(context, listed).map(({ id }) => id);
  for (const id of uniq([...own, ...created]).filter((one) => !before.some((old) => old.id === one)))
    await context.api.unsubscribe(id).catch(() => undefined);
}

/**
 * Removes the stored subscriptions, and listed ones with the trigger's address and token. n8n 1 also calls this after
 * it refused to publish a copy of a published workflow. The copy has the same address but other tokens, so the
 * subscriptions of the published workflow stay. A pasted address has no token and stays too.
 * @throws ApiError if a subscription may remain; n8n then calls again
 */
export async function unsubscribeAll(context: SubscriptionContext): Promise<Partial<StaticData>> {
  const { api, identity, staticData } = context;
  const failures: unknown[] = [];
  const listed = await fetchSubscriptions(context).catch((error: unknown) => {
    failures.push(error);
    return [];
  });
  // The service may have given a stored ID to another subscription, so a listed subscription is checked by its URL.
  const hidden = staticData.ids.filter((id) => !listed.some((one) => one.id === id));
  const own = filterOwnSubscriptions(context, listed).filter(
    ({ id, hookUrl, data_table_id, type }) =>
      staticData.ids.includes(id) || identity.isValidToken(readUrlToken(hookUrl) ?? '', data_table_id, type),
  );
  for (const id of [...hidden, ...own.map((one) => one.id)]) {
    await api.unsubscribe(id).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
  return { ids: [], tables: [], addresses: [], tokens: [] };
}
