import type { IWebhookFunctions } from 'n8n-workflow';
import { memory } from '../client/memory/memory';
import type { Subscription } from '../client/responses/schemas';
import type { Delivery } from './delivery';
import type { TriggerParameters } from './form';
import {
  type WebhookIdentity,
  hasSameOrigin,
  isSameToken,
  matchesRequestPath,
  readNodeKey,
  readUrlToken,
} from './identity';
import type { StaticData } from './staticData';

/** `unverified`: the delivery has no token, and "Accept Unverified Deliveries" is on. */
export type Verdict = 'valid' | 'unverified' | 'invalid';

export interface AuthenticationInput {
  delivery: Delivery;
  /** The token of the request; undefined if it has none. */
  token: string | undefined;
  /** Path of the request. */
  path: string;
  /** Address of the trigger in this n8n. */
  webhookUrl: string;
  staticData: Pick<StaticData, 'addresses' | 'dropsToken' | 'secret'>;
  /** Whether the trigger listens to this table and event. */
  isExpected: boolean;
  acceptUnverified: boolean;
}

/** Returns the verdict from the token and the static data, or undefined if the service's list must be read. */
export function checkToken(input: AuthenticationInput, identity: WebhookIdentity): Verdict | undefined {
  const { delivery, token, staticData } = input;
  if (token !== undefined && identity.isValidToken(token, delivery.tableId, delivery.event)) return 'valid';
  if (!input.isExpected || (token === undefined && !input.acceptUnverified)) return 'invalid';
  if (token === undefined && staticData.dropsToken) return 'unverified';
  // The subscriptions were created with the current secret, so a different token is not from the service.
  return staticData.secret === identity.secretFingerprint ? 'invalid' : undefined;
}

/** Whether a listed subscription leads to this trigger and has the token of the request. */
const matchesRequest =
  ({ delivery, token, path, webhookUrl, staticData }: AuthenticationInput) =>
  ({ data_table_id, type, hookUrl }: Subscription): boolean =>
    data_table_id === delivery.tableId &&
    type === delivery.event &&
    [webhookUrl, ...staticData.addresses].some((own) => hasSameOrigin(hookUrl, own)) &&
    matchesRequestPath(hookUrl, path) &&
    isSameToken(readUrlToken(hookUrl), token);

const FIRST_PAUSE_MS = 60_000;
const PAUSE_FACTOR = 5;
const MAX_PAUSE_MS = 24 * 60 * 60_000;

interface SubscriptionList {
  subscriptions: Promise<Subscription[]>;
  nextAt: number;
  pauseMs: number;
}

/** By table. */
const subscriptionLists = memory.store<Map<string, SubscriptionList>, 'node'>('subscriptionLists', {
  per: 'node',
  holds: "the service's subscriptions for a table, read once in 1 minute to 1 day",
  max: 1_000,
});

/** Deletes the cached lists of a trigger after its subscriptions have changed. */
export const clearSubscriptionLists = (nodeKey: string): void => subscriptionLists.delete(nodeKey, []);

/**
 * Authenticates a delivery by the service's list of subscriptions, which only the API keys can read and change. The
 * list contains the tokens in use after a change of the App Secret or a loss of n8n's static data. While no entry
 * matches, the pause before the next request grows from one minute to one day, so invalid deliveries cause at most
 * 6 requests per day.
 * @throws if the list cannot be read
 */
export async function checkList(
  input: AuthenticationInput,
  nodeKey: string,
  fetchList: () => Promise<Subscription[]>,
  now: number,
): Promise<Verdict> {
  const { tableId } = input.delivery;
  const lists = subscriptionLists.getOrCreate(nodeKey, [], () => new Map<string, SubscriptionList>());
  const isListed = async ({ subscriptions }: SubscriptionList) =>
    (await subscriptions).some(matchesRequest(input));
  const verdict: Verdict = input.token === undefined ? 'unverified' : 'valid';
  let list = lists.get(tableId);
  if (list && now < list.nextAt) return (await isListed(list)) ? verdict : 'invalid';
  const pauseMs = list ? Math.min(list.pauseMs * PAUSE_FACTOR, MAX_PAUSE_MS) : FIRST_PAUSE_MS;
  list = { subscriptions: fetchList(), nextAt: now + pauseMs, pauseMs };
  lists.set(tableId, list);
  if (!(await isListed(list))) return 'invalid';
  Object.assign(list, { pauseMs: FIRST_PAUSE_MS, nextAt: now + FIRST_PAUSE_MS });
  return verdict;
}

/**
 * Authenticates a delivery by its token or by the service's list. Without parameters the list is not read.
 * @throws if the list is needed and cannot be read
 */
export async function authenticate(
  context: IWebhookFunctions,
  {
    delivery,
    identity,
    staticData,
  }: { delivery: Delivery; identity: WebhookIdentity; staticData: StaticData },
  parameters: TriggerParameters | undefined,
  fetchList: () => Promise<Subscription[]>,
): Promise<Verdict> {
  const { token } = context.getQueryData() as { token?: unknown };
  const { tableIds = [], events = [], acceptUnverified = false } = parameters ?? {};
  const input: AuthenticationInput = {
    delivery,
    // A token that is given twice is parsed as an array, which is never valid.
    token: token === undefined || typeof token === 'string' ? token : '',
    path: context.getRequestObject().path,
    webhookUrl: context.getNodeWebhookUrl('default') ?? '',
    staticData,
    isExpected: tableIds.includes(delivery.tableId) && events.includes(delivery.event),
    acceptUnverified,
  };
  return checkToken(input, identity) ?? checkList(input, readNodeKey(context), fetchList, performance.now());
}
