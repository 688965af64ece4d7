/** The tokens in the webhook URLs of the trigger. A token shows that a delivery comes from the service. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { trimEnd, uniq } from 'lodash';
import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';
import { InputError, type Subscription } from '../service';
import {
  RECORD_EVENTS,
  type RecordEvent,
  type StaticData,
  readStaticData,
  writeStaticData,
} from './staticData';

/**
 * Finds the table and the event for which the token was made. After a change of the App Secret, the service still sends
 * old tokens, so the token is also compared with the stored hashes. @returns undefined for a wrong token
 */
export function findTableEvent(
  token: string,
  tableIds: string[],
  { tables, tokens }: Pick<StaticData, 'tables' | 'tokens'>,
  identity: WebhookIdentity,
): TableEvent | undefined {
  // The events of the form may have changed since the subscription was made, so all events are tried.
  return listTableEvents(uniq([...tableIds, ...tables]), RECORD_EVENTS).find(
    (source) =>
      identity.isValidToken(token, source.tableId, source.event) || tokens.includes(hashToken(token, source)),
  );
}

interface WebhookIdentityData {
  /** ID of the n8n instance: a copy of the workflow in another instance may have the same `nodeKey`. */
  instanceId: string;
  /** Identifies the workflow and the node. */
  nodeKey: string;
  baseUrl: string;
  appId: string;
  appSecret: string;
}

const TOKEN_QUERY_PARAMETER = 'token';

const computeDigest = (text: string) => createHash('sha256').update(text).digest();

const equalsInConstantTime = (a: string, b: string) => timingSafeEqual(computeDigest(a), computeDigest(b));

const parseUrl = (address: string): URL | undefined => (URL.canParse(address) ? new URL(address) : undefined);

/** Returns the origin and the path, without a trailing slash; '' for a text that is not a URL. */
const normalizeUrl = (address: string): string => {
  const url = parseUrl(address);
  return url ? url.origin + trimEnd(url.pathname, '/') : '';
};

/**
 * The spec defines no signature of deliveries (Events), so each webhook URL contains a token: an HMAC with the App
 * Secret over n8n's instance ID, the node, the table and the event. The token is computed, so it survives a loss of
 * n8n's static data. The token does not depend on the host of n8n, which may change. The token is a parameter of the
 * query, not of the path: n8n stores all webhooks of a node type that have path parameters under one key, and caches
 * every path that it receives. A new version of this package must compute the same tokens, because n8n does not
 * subscribe again after an update. See silences.md: `deliveryRetries`.
 */
export class WebhookIdentity {
  constructor(private readonly data: WebhookIdentityData) {}

  /** Identifies the owner of static data: an imported workflow may contain the data of another n8n instance. */
  get staticDataOwnerId(): string {
    const { instanceId, nodeKey, baseUrl, appId } = this.data;
    return computeDigest(JSON.stringify([instanceId, nodeKey, baseUrl, appId]))
      .toString('hex')
      .slice(0, 16);
  }

  computeToken(tableId: string, event: string): string {
    const { instanceId, nodeKey, appSecret } = this.data;
    const text = JSON.stringify(['record-database-trigger', instanceId, nodeKey, tableId, event]);
    return createHmac('sha256', appSecret).update(text).digest('base64url');
  }

  /** Without an App Secret, no token is valid: anybody could compute it. */
  isValidToken(given: string, tableId: string, event: string): boolean {
    return equalsInConstantTime(given, this.computeToken(tableId, event)) && this.data.appSecret !== '';
  }

  buildHookUrl(webhookUrl: string, tableId: string, event: RecordEvent): string {
    return `${webhookUrl}?${TOKEN_QUERY_PARAMETER}=${this.computeToken(tableId, event)}`;
  }

  /** A subscription with the same path on another host is the trigger's own only if its token is valid. */
  ownsSubscription(
    { hookUrl, data_table_id, type }: Subscription,
    webhookUrl: string,
    earlier: string[],
  ): boolean {
    const base = normalizeUrl(hookUrl);
    if (base === '') return false;
    if ([webhookUrl, ...earlier].some((own) => normalizeUrl(own) === base)) return true;
    const isSamePath = new URL(base).pathname === parseUrl(webhookUrl)?.pathname;
    return isSamePath && this.isValidToken(readUrlToken(hookUrl) ?? '', data_table_id, type);
  }
}

/** @throws InputError if the credential has no App Secret */
export function readIdentityAndData(
  context: IHookFunctions | IWebhookFunctions,
  { baseUrl, appId, appSecret }: Record<'baseUrl' | 'appId' | 'appSecret', string>,
) {
  if (appSecret === '') {
    throw new InputError(
      'The credential has no App Secret',
      'Open the Record Database API credential and give the App Secret. The trigger needs it to recognize the deliveries of the service.',
    );
  }
  const { webhookId, id } = context.getNode();
  // `nodeKey` is the same in all processes and after a restart. The webhook ID alone is not enough: a copy of the
  // workflow that was made by n8n's API or command line has the same webhook ID.
  const nodeKey = `${String(context.getWorkflow().id)}/${webhookId ?? id}`;
  const instanceId = context.getInstanceId();
  const identity = new WebhookIdentity({ instanceId, nodeKey, baseUrl, appId, appSecret });
  const data = context.getWorkflowStaticData('node');
  const owner = identity.staticDataOwnerId;
  const saveStaticData = (changes: Partial<StaticData>) => writeStaticData(data, owner, changes);
  return { identity, data, staticData: readStaticData(data, owner), saveStaticData };
}

/** @returns undefined for a pasted address, or if the service removed the query string */
export const readUrlToken = (address: string): string | undefined =>
  parseUrl(address)?.searchParams.get(TOKEN_QUERY_PARAMETER) ?? undefined;

export const matchesWebhookUrl = (address: string, webhookUrl: string): boolean =>
  normalizeUrl(address) === normalizeUrl(webhookUrl);

export interface TableEvent {
  tableId: string;
  event: RecordEvent;
}

/** n8n's static data contain this hash of the token, because nobody can compute the token from it. */
export const hashToken = (token: string, { tableId, event }: TableEvent): string =>
  computeDigest(JSON.stringify([tableId, event, token])).toString('base64url');

export const listTableEvents = (tableIds: string[], events: readonly RecordEvent[]): TableEvent[] =>
  tableIds.flatMap((tableId) => events.map((event) => ({ tableId, event })));
