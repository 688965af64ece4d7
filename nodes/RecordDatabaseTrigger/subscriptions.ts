import { uniq } from 'lodash';
import type { Client } from '../client';
import { webhookEndpoints } from '../client/endpoints/catalogue';
import { ApiError, mapExplanation } from '../client/errors/apiError';
import { type RecordEvent, type Subscription, parseSubscriptions } from '../client/responses/subscriptions';
import { type WebhookIdentity, matchesWebhookUrl, readUrlToken } from './identity';
import type { StaticData } from './staticData';

/** One subscription that the trigger needs. */
export interface DesiredSubscription {
  tableId: string;
  event: RecordEvent;
  hookUrl: string;
}

/** The subscriptions to create, to keep and to remove. */
export interface SubscriptionDiff {
  create: DesiredSubscription[];
  keep: Subscription[];
  remove: Subscription[];
}

/** Whether a listed subscription with the same table and event matches a wanted one. */
type SubscriptionMatcher = (listed: Subscription, wanted: DesiredSubscription) => boolean;

/** One subscription per table and event (spec: Events). */
export const buildDesiredSubscriptions = (
  tableIds: string[],
  events: RecordEvent[],
  address: (tableId: string, event: RecordEvent) => string,
): DesiredSubscription[] =>
  tableIds.flatMap((tableId) =>
    events.map((event) => ({ tableId, event, hookUrl: address(tableId, event) })),
  );

/**
 * Compares the wanted subscriptions with the trigger's own ones in the service's list. Each wanted subscription is
 * kept once, because a second one would deliver every event twice. All others are removed.
 */
export function diffSubscriptions(
  wanted: DesiredSubscription[],
  own: Subscription[],
  fits: SubscriptionMatcher,
): SubscriptionDiff {
  const kept = new Map<DesiredSubscription, Subscription>();
  for (const one of wanted) {
    const found = own.find(
      (listed) => listed.data_table_id === one.tableId && listed.type === one.event && fits(listed, one),
    );
    if (found) kept.set(one, found);
  }
  const keep = [...kept.values()];
  return {
    create: wanted.filter((one) => !kept.has(one)),
    keep,
    remove: own.filter((listed) => !keep.includes(listed)),
  };
}

export const isEmptyDiff = ({ create, remove }: SubscriptionDiff): boolean =>
  create.length === 0 && remove.length === 0;

/** The service's endpoints for subscriptions. Every method throws an ApiError if its call fails. */
export interface SubscriptionApi {
  /** Lists the subscriptions on these tables, and all that the service returns for a request without a table. */
  list(tableIds: string[]): Promise<Subscription[]>;
  /** Returns the new ID, or undefined if the response has none. */
  subscribe(wanted: DesiredSubscription): Promise<string | undefined>;
  /** Succeeds if the subscription no longer exists. */
  unsubscribe(id: string): Promise<void>;
}

export interface ReconcileContext {
  api: SubscriptionApi;
  identity: WebhookIdentity;
  webhookUrl: string;
  staticData: StaticData;
  /** IDs of the tables chosen in the form. */
  tables: string[];
  /** Whether a service that drops the token from the addresses is accepted. */
  acceptUnverified: boolean;
}

export const fetchSubscriptions = ({ api: service, staticData: state, tables }: ReconcileContext) =>
  service.list(uniq([...tables, ...state.tables]));

export const filterOwnSubscriptions = (
  { identity: hook, webhookUrl, staticData: state }: ReconcileContext,
  listed: Subscription[],
): Subscription[] => listed.filter((one) => hook.ownsSubscription(one, webhookUrl, state.addresses));

/** Whether a subscription has this trigger's URL with a valid token, or no token if the service removes tokens. */
export const createSubscriptionMatcher =
  ({ identity: hook, webhookUrl }: ReconcileContext, dropsToken: boolean): SubscriptionMatcher =>
  ({ hookUrl }, { tableId, event }) => {
    const token = readUrlToken(hookUrl);
    const isRight = token === undefined ? dropsToken : hook.isValidToken(token, tableId, event);
    return isRight && matchesWebhookUrl(hookUrl, webhookUrl);
  };

export const isDropAccepted = ({ acceptUnverified, staticData }: ReconcileContext): boolean =>
  acceptUnverified && staticData.dropsToken;

const { list, subscribe, unsubscribe } = webhookEndpoints;

/** Shows other clients of the application which system a subscription belongs to (spec: Webhook subscription). */
const PLATFORM = 'n8n';

/** Statuses for a table that no longer exists, or for a request without a table if the service does not allow it. */
const NO_LIST_STATUSES = [400, 404, 422];
const GONE_STATUSES = [404];

/** Returns an error handler that ignores these statuses if they come from the service and not from a proxy. */
const ignoreStatuses =
  (statuses: number[]) =>
  (error: unknown): undefined => {
    const isOwn = error instanceof ApiError && error.isFromService;
    if (isOwn && statuses.includes(error.status ?? 0)) return undefined;
    throw error;
  };

/** Returns an error handler that puts the failed action before the error message. */
const rethrowWithContext =
  (what: string) =>
  (error: unknown): never => {
    throw mapExplanation(error, ({ message }) => ({ message: `${what}: ${message}` }));
  };

/** Subscriptions over the API (spec: Webhooks). */
export class SubscriptionApiClient implements SubscriptionApi {
  constructor(private readonly client: Client) {}

  /** Lists by table, as in the spec, and once without a table to find subscriptions on tables that are not stored. */
  async list(tableIds: string[]): Promise<Subscription[]> {
    const queries = [...tableIds.map((data_table_id) => ({ data_table_id })), undefined];
    const lists = await Promise.all(queries.map((query) => this.fetchList(query)));
    return [...new Map(lists.flat().map((one) => [one.id, one])).values()];
  }

  private async fetchList(query?: { data_table_id: string }): Promise<Subscription[]> {
    const response = await this.client
      .call(list, { query })
      .catch(ignoreStatuses(NO_LIST_STATUSES))
      .catch(rethrowWithContext("The service's webhooks could not be listed"));
    return (response && parseSubscriptions(response.body)) ?? [];
  }

  async subscribe({ tableId, event, hookUrl }: DesiredSubscription): Promise<string | undefined> {
    const body = { data_table_id: tableId, type: event, hookUrl, platform: PLATFORM };
    const response = await this.client
      // An error message of the service may contain the URL with its token.
      .call(subscribe, { body, secrets: [readUrlToken(hookUrl) ?? ''] })
      .catch(rethrowWithContext(`The webhook for ${event} on table ${tableId} could not be created`));
    return response.body.id;
  }

  async unsubscribe(id: string): Promise<void> {
    await this.client
      .call(unsubscribe, { body: { id } })
      .catch(ignoreStatuses(GONE_STATUSES))
      .catch(rethrowWithContext(`The webhook ${id} could not be removed`));
  }
}
