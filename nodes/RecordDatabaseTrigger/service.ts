import type { Subscription } from '../shared/model/responses';
import { subscriptionEndpoints, subscriptionsIn } from '../shared/model/subscription';
import type { Client } from '../shared/transport/client';
import { ApiFailure } from '../shared/transport/errors';
import type { SubscriptionService } from './lifecycle';
import type { Wanted } from './subscriptions';

const { list, subscribe, unsubscribe } = subscriptionEndpoints;

/** Tells other clients of the application whose subscriptions these are (spec: Webhook subscription). */
const PLATFORM = 'n8n';

/** The service does not know the table any more, or does not list without one. */
const NOTHING_THERE = new Set([400, 404, 422]);

const unlessNothingThere = (error: unknown): undefined => {
  if (error instanceof ApiFailure && NOTHING_THERE.has(error.status ?? 0)) return undefined;
  throw error;
};

function listedIn(body: unknown): Subscription[] {
  const found = subscriptionsIn(body);
  if (found) return found;
  throw new ApiFailure({
    message: "The service's list of webhooks could not be read",
    description: 'The answer to /web-hooks/list holds no list, so nothing was subscribed or removed.',
  });
}

/** The same failure, with which subscription it was about. */
function about(error: unknown, { event, tableId }: Wanted): unknown {
  if (!(error instanceof ApiFailure)) return error;
  const { explanation, status, attempts, outcomeUnknown, fieldErrors } = error;
  const message = `The webhook for ${event} on table ${tableId} could not be created: ${explanation.message}`;
  const description = `${explanation.description} Nothing is left subscribed by this attempt.`;
  return new ApiFailure({ message, description }, status, attempts, outcomeUnknown, fieldErrors);
}

/** Subscriptions over the API (spec: Webhooks). */
export class ApiSubscriptions implements SubscriptionService {
  constructor(private readonly client: Client) {}

  /** Table by table, as the spec has it; and once without, for what is left on tables no longer known. */
  async list(tableIds: string[]): Promise<Subscription[]> {
    const queries = [...tableIds.map((data_table_id) => ({ data_table_id })), undefined];
    const lists = await Promise.all(queries.map((query) => this.listOnce(query)));
    return [...new Map(lists.flat().map((one) => [one.id, one])).values()];
  }

  private async listOnce(query?: { data_table_id: string }): Promise<Subscription[]> {
    const answer = await this.client.call(list, { query }).catch(unlessNothingThere);
    return answer ? listedIn(answer.body) : [];
  }

  async subscribe(wanted: Wanted): Promise<string | undefined> {
    const { tableId, event, hookUrl } = wanted;
    const body = { data_table_id: tableId, type: event, hookUrl, platform: PLATFORM };
    const answer = await this.client.call(subscribe, { body }).catch((error: unknown) => {
      throw about(error, wanted);
    });
    const { id } = answer.body as { id?: unknown };
    return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
  }

  async unsubscribe(id: string): Promise<void> {
    await this.client.call(unsubscribe, { body: { id } }).catch((error: unknown) => {
      if (!(error instanceof ApiFailure) || error.status !== 404) throw error;
    });
  }
}
