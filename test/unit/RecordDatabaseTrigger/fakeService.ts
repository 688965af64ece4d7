import type { TableEvent } from '../../../nodes/RecordDatabaseTrigger/authenticate';
import type { SubscriptionApiClient } from '../../../nodes/RecordDatabaseTrigger/subscriptions';
/* eslint-disable @typescript-eslint/no-unused-vars -- not shipped: runs on Node */
import { ApiError, type Subscription } from '../../../nodes/service';

/**
 * The result of one call: success; a refusal; or a failure with an unknown outcome after the change
 * (`lostAfter`) or without it (`lostBefore`).
 */
export type CallFault = 'none' | 'refused' | 'lostAfter' | 'lostBefore';

const createFailure = (outcomeUnknown: boolean) =>
  new ApiError({
    message: 'A fault',
    description: '',
    status: outcomeUnknown ? undefined : 403,
    isOutcomeUnknown: outcomeUnknown,
  });

export interface SubscriptionRow extends Subscription {
  /** Who subscribed it; the trigger cannot see this. */
  by: 'trigger' | 'somebody else';
}

/** The service's subscriptions (spec: Webhooks). Each fault applies to one call. */
export class FakeSubscriptionApi implements Pick<
  SubscriptionApiClient,
  'list' | 'subscribe' | 'unsubscribe'
> {
  readonly rows: SubscriptionRow[] = [];
  faults: CallFault[] = [];
  calls = 0;
  dropsQuery = false;
  /** Whether a list contains only the subscriptions of the requested tables. */
  listsByTable = false;
  subscribed = 0;
  private ids = 0;

  add(row: { data_table_id: string; type: string; hookUrl: string; by: SubscriptionRow['by'] }): string {
    const id = `hook-${++this.ids}`;
    this.rows.push({ id, platform: 'n8n', ...row });
    return id;
  }

  remove(id: string): void {
    const at = this.rows.findIndex((row) => row.id === id);
    if (at >= 0) this.rows.splice(at, 1);
  }

  /** The service requires a table; the spec does not define the response without one. */
  async list(tableIds: string[]): Promise<Subscription[]> {
    this.applyFault(() => undefined, false);
    if (tableIds.includes('')) throw new Error('a table without an id');
    const shown = this.rows.filter((row) => !this.listsByTable || tableIds.includes(row.data_table_id));
    return shown.map(({ by: _by, ...row }) => ({ ...row }) as Subscription);
  }

  async subscribe({ tableId, event }: TableEvent, hookUrl: string): Promise<string> {
    this.subscribed++;
    const listed = this.dropsQuery ? hookUrl.split('?')[0]! : hookUrl;
    return this.applyFault(
      () => this.add({ data_table_id: tableId, type: event, hookUrl: listed, by: 'trigger' }),
      true,
    );
  }

  async unsubscribe(id: string): Promise<void> {
    this.applyFault(() => this.remove(id), false);
  }

  private applyFault<T>(work: () => T, once: boolean): T {
    this.calls++;
    const fault = this.faults.shift() ?? 'none';
    if (fault === 'none') return work();
    if (fault === 'lostAfter') work();
    throw createFailure(once && fault !== 'refused');
  }
}
