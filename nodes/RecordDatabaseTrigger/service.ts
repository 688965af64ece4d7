import type { Subscription } from '../shared/model/responses';
import { subscriptionsIn } from '../shared/model/subscription';
import { webhookEndpoints } from '../shared/model/webhooks';
import type { Client } from '../shared/transport/client';
import { ApiFailure } from '../shared/transport/errors';
import type { SubscriptionService } from './lifecycle';
import { tokenIn } from './hook';
import type { Wanted } from './subscriptions';

const { list, subscribe, unsubscribe } = webhookEndpoints;

/** Tells other clients of the application whose subscriptions these are (spec: Webhook subscription). */
const PLATFORM = 'n8n';

/** The service does not know the table any more, or does not list without one. */
const NOTHING_THERE = [400, 404, 422];
const GONE = [404];

/** Takes these statuses for an answer, where the service itself gave them. */
const unless =
  (statuses: number[]) =>
  (error: unknown): undefined => {
    const isOwn = error instanceof ApiFailure && error.byService;
    if (isOwn && statuses.includes(error.status ?? 0)) return undefined;
    throw error;
  };

/** The same failure, with what it was that failed. */
const failing =
  (what: string) =>
  (error: unknown): never => {
    if (!(error instanceof ApiFailure)) throw error;
    const { message, description } = error.explanation;
    throw error.explainedAs({ message: `${what}: ${message}`, description });
  };

function listedIn(body: unknown): Subscription[] {
  const found = subscriptionsIn(body);
  if (found) return found;
  throw new ApiFailure({
    message: "The service's list of webhooks could not be read",
    description:
      'The answer to /web-hooks/list holds no list. Check the Base URL in the Record Database API credential, then publish or unpublish again.',
  });
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
    const answer = await this.client
      .call(list, { query })
      .catch(unless(NOTHING_THERE))
      .catch(failing("The service's webhooks could not be listed"));
    return answer ? listedIn(answer.body) : [];
  }

  async subscribe({ tableId, event, hookUrl }: Wanted): Promise<string | undefined> {
    const body = { data_table_id: tableId, type: event, hookUrl, platform: PLATFORM };
    const answer = await this.client
      // The service may repeat the address when it refuses it, and with it the token that opens this hook.
      .call(subscribe, { body, secrets: [tokenIn(hookUrl) ?? ''] })
      .catch(failing(`The webhook for ${event} on table ${tableId} could not be created`));
    const { id } = answer.body as { id?: unknown };
    return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
  }

  async unsubscribe(id: string): Promise<void> {
    await this.client
      .call(unsubscribe, { body: { id } })
      .catch(unless(GONE))
      .catch(failing(`The webhook ${id} could not be removed`));
  }
}
