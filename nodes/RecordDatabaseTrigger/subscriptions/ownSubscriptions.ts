import { uniq } from 'lodash';
import type { Subscription } from '../../shared/model/responses/subscriptions';
import type { StaticData } from '../staticData';
import { matchesWebhookUrl, readUrlToken, type WebhookIdentity } from '../webhookIdentity';
import type { DesiredSubscription, SubscriptionMatcher } from './subscriptions';

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
