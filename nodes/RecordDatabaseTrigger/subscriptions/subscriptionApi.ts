import { webhookEndpoints } from '../../shared/model/endpoints/webhooks';
import type { Subscription } from '../../shared/model/responses/subscriptions';
import { parseSubscriptions } from '../../shared/model/responses/subscriptions';
import type { Client } from '../../shared/transport/client';
import { ApiError, mapExplanation } from '../../shared/transport/errors/apiError';
import { readUrlToken } from '../webhookIdentity';
import type { SubscriptionApi } from './ownSubscriptions';
import type { DesiredSubscription } from './subscriptions';

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
