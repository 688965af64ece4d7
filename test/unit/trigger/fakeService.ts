import type { SubscriptionService } from '../../../nodes/RecordDatabaseTrigger/lifecycle';
import type { Wanted } from '../../../nodes/RecordDatabaseTrigger/subscriptions';
import type { Subscription } from '../../../nodes/shared/model/responses';
import { ApiFailure } from '../../../nodes/shared/transport/errors';

/**
 * What becomes of one call: it is refused; it fails and nobody knows whether it was carried out (it was, or
 * it was not); or all is well.
 */
export type Fault = 'none' | 'refused' | 'lostAfter' | 'lostBefore';

const failure = (outcomeUnknown: boolean) =>
  new ApiFailure(
    { message: 'A fault', description: '' },
    outcomeUnknown ? undefined : 403,
    1,
    outcomeUnknown,
  );

export interface Row extends Subscription {
  /** Who subscribed it; the trigger cannot see this. */
  by: 'trigger' | 'somebody else';
}

/** Subscriptions as the service keeps them (spec: Webhooks), with faults that strike one call each. */
export class FakeService implements SubscriptionService {
  readonly rows: Row[] = [];
  faults: Fault[] = [];
  calls = 0;
  dropsQuery = false;
  /** Shows no more than what lies on the tables it was asked for. */
  listsByTable = false;
  subscribed = 0;
  private ids = 0;

  add(row: { data_table_id: string; type: string; hookUrl: string; by: Row['by'] }): string {
    const id = `hook-${++this.ids}`;
    this.rows.push({ id, platform: 'n8n', ...row });
    return id;
  }

  remove(id: string): void {
    const at = this.rows.findIndex((row) => row.id === id);
    if (at >= 0) this.rows.splice(at, 1);
  }

  /** The service asks for a table; what it shows without one is left open by the spec. */
  async list(tableIds: string[]): Promise<Subscription[]> {
    this.strike(() => undefined, false);
    if (tableIds.includes('')) throw new Error('a table without an id');
    const shown = this.rows.filter((row) => !this.listsByTable || tableIds.includes(row.data_table_id));
    return shown.map(({ by: _by, ...row }) => ({ ...row }) as Subscription);
  }

  async subscribe({ tableId, event, hookUrl }: Wanted): Promise<string> {
    this.subscribed++;
    const listed = this.dropsQuery ? hookUrl.split('?')[0]! : hookUrl;
    return this.strike(
      () => this.add({ data_table_id: tableId, type: event, hookUrl: listed, by: 'trigger' }),
      true,
    );
  }

  async unsubscribe(id: string): Promise<void> {
    this.strike(() => this.remove(id), false);
  }

  private strike<T>(work: () => T, once: boolean): T {
    this.calls++;
    const fault = this.faults.shift() ?? 'none';
    if (fault === 'none') return work();
    if (fault === 'lostAfter') work();
    throw failure(once && fault !== 'refused');
  }
}
