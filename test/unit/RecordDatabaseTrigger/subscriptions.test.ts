import { type RecordEvent, readStaticData } from '../../../nodes/RecordDatabaseTrigger/staticData';
import {
  type WantedSubscription,
  diffSubscriptions,
  planSubscriptions,
  type ReconcileContext,
} from '../../../nodes/RecordDatabaseTrigger/subscriptions';
import { createSubscription, WEBHOOK_URL, webhookIdentity } from './identity';

describe('the diff', () => {
  const events: RecordEvent[] = ['INSERT', 'UPDATE'];
  const context = {
    identity: webhookIdentity,
    webhookUrl: WEBHOOK_URL,
    tables: ['t1'],
    staticData: readStaticData({}, ''),
    keepsPastedAddress: false,
  } as ReconcileContext;
  const wanted = planSubscriptions(context, events);
  const [{ hookUrl }] = wanted as [WantedSubscription];

  test('keeps one of each, creates missing subscriptions and removes surplus ones', () => {
    const own = [
      createSubscription({ id: 'a', hookUrl }),
      createSubscription({ id: 'b', hookUrl }),
      createSubscription({ id: 'c', type: 'DELETE', hookUrl }),
      createSubscription({ id: 'd', data_table_id: 't2', hookUrl }),
    ];
    const { create, keep, remove, isEmpty } = diffSubscriptions(context, wanted, own);
    expect(create).toEqual([wanted[1]]);
    expect(keep.map(({ id }) => id)).toEqual(['a']);
    expect(remove.map(({ id }) => id)).toEqual(['b', 'c', 'd']);
    expect(isEmpty).toBe(false);
    expect(diffSubscriptions(context, wanted.slice(0, 1), own.slice(0, 1)).isEmpty).toBe(true);
  });

  test('replaces subscriptions without a valid token', () => {
    const own = [
      createSubscription({ id: 'a', hookUrl: `${WEBHOOK_URL}?token=x` }),
      createSubscription({ id: 'b', hookUrl }),
    ];
    const plan = diffSubscriptions(context, wanted.slice(0, 1), own);
    expect([plan.create, plan.keep[0]?.id, plan.remove[0]?.id]).toEqual([[], 'b', 'a']);
  });
});
