import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Subscription } from '../shared/model/responses';
import type { RecordEvent } from '../shared/model/subscription';

/** What makes one trigger node in one n8n different from every other. */
export interface HookIdentity {
  /** n8n's own id: a copy of the workflow in another n8n has the same webhook id. */
  instanceId: string;
  /** The node's webhook id. */
  node: string;
  baseUrl: string;
  appId: string;
  appSecret: string;
}

/** Query key of the token in the address that the service calls. */
export const TOKEN_KEY = 'token';

const digest = (text: string) => createHash('sha256').update(text).digest();

/** In constant time, whatever the lengths. */
const isSame = (a: string, b: string) => timingSafeEqual(digest(a), digest(b));

const parsed = (address: string): URL | undefined => (URL.canParse(address) ? new URL(address) : undefined);

/** Address without its query, spelt one way. */
const baseOf = (address: string): string => {
  const url = parsed(address);
  return url ? url.origin + url.pathname.replace(/\/+$/, '') : '';
};

/**
 * The identity of one trigger towards the service: the tokens in its addresses, and which of the service's
 * subscriptions are its own.
 *
 * The service signs nothing (spec: Events, "not shown"), so each address carries a token: an HMAC with the
 * App Secret over this n8n, this node, the table and the event. It can be computed again at any time, so
 * nothing is lost with n8n's static data, and nobody without the secret can make one. The address itself
 * is not part of it: n8n may move to another host and still know its subscriptions.
 */
export class Hook {
  constructor(private readonly identity: HookIdentity) {}

  /** Whose notes in the static data these are: an imported copy of a workflow may bring another's along. */
  get owner(): string {
    const { instanceId, node, baseUrl, appId } = this.identity;
    return digest(JSON.stringify([instanceId, node, baseUrl, appId]))
      .toString('hex')
      .slice(0, 16);
  }

  token(tableId: string, event: string): string {
    const { instanceId, node, appSecret } = this.identity;
    const about = JSON.stringify(['record-database-trigger', instanceId, node, tableId, event]);
    return createHmac('sha256', appSecret).update(about).digest('base64url');
  }

  /** Without an App Secret anybody could compute the token: then none is right. */
  isToken(given: string, tableId: string, event: string): boolean {
    return isSame(given, this.token(tableId, event)) && this.identity.appSecret !== '';
  }

  /** The address to subscribe for one table and event. */
  address(webhookUrl: string, tableId: string, event: RecordEvent): string {
    return `${webhookUrl}?${TOKEN_KEY}=${this.token(tableId, event)}`;
  }

  /**
   * Whether a listed subscription is this trigger's own: it leads to one of the addresses that the trigger
   * has or had, or to the same path on another host with the token that only this trigger makes.
   */
  owns({ hookUrl, data_table_id, type }: Subscription, webhookUrl: string, earlier: string[]): boolean {
    const base = baseOf(hookUrl);
    if (base === '') return false;
    if ([webhookUrl, ...earlier].some((own) => baseOf(own) === base)) return true;
    const isSamePath = new URL(base).pathname === parsed(webhookUrl)?.pathname;
    return isSamePath && this.isToken(tokenIn(hookUrl) ?? '', data_table_id, type);
  }
}

/** The token in an address as the service lists it; undefined where it dropped the query string. */
export const tokenIn = (address: string): string | undefined =>
  parsed(address)?.searchParams.get(TOKEN_KEY) ?? undefined;

export const leadsTo = (address: string, webhookUrl: string): boolean =>
  baseOf(address) === baseOf(webhookUrl);

/** Whether an address leads to this path; proxies in front of n8n may have taken a prefix off it. */
export const leadsToPath = (address: string, path: string): boolean =>
  baseOf(address).endsWith(path.replace(/\/+$/, ''));

/** Compares the token of a delivery with a listed one, in constant time; none matches none. */
export const isSameToken = (a: string | undefined, b: string | undefined): boolean =>
  (a === undefined) === (b === undefined) && isSame(a ?? '', b ?? '');
