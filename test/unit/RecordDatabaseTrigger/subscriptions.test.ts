import { listTableEvents } from '../../../nodes/RecordDatabaseTrigger/authenticate';
import { readStaticData } from '../../../nodes/RecordDatabaseTrigger/staticData';
import {
  diffSubscriptions,
  type SubscriptionContext,
} from '../../../nodes/RecordDatabaseTrigger/subscriptions';
import { createSubscription, WEBHOOK_URL, webhookIdentity } from './identity';

describe('the diff', () => {
  const wanted = listTableEvents(['t1'], ['INSERT', 'UPDATE']);
  const context = {
    identity: webhookIdentity,
    webhookUrl: WEBHOOK_URL,
    tables: ['t1'],
    wanted,
    staticData: readStaticData({}, ''),
    keepsPastedAddress: false,
  } as SubscriptionContext;
  const one = { ...context, wanted: wanted.slice(0, 1) };
  const hookUrl = webhookIdentity.buildHookUrl(WEBHOOK_URL, 't1', 'INSERT');

  test('keeps one of each, creates missing subscriptions and removes surplus ones', () => {
    const own = [
      createSubscription({ id: 'a', hookUrl }),
      createSubscription({ id: 'b', hookUrl }),
      createSubscription({ id: 'c', type: 'DELETE', hookUrl }),
      createSubscription({ id: 'd', data_table_id: 't2', hookUrl }),
    ];
    const { create, keep, remove, isEmpty } = diffSubscriptions(context, own);
    expect(create).toEqual([wanted[1]]);
    expect(keep.map(({ id }) => id)).toEqual(['a']);
    expect(remove.map(({ id }) => id)).toEqual(['b', 'c', 'd']);
    expect(isEmpty).toBe(false);
    expect(diffSubscriptions(one, own.slice(0, 1)).isEmpty).toBe(true);
  });

  test('replaces subscriptions without a valid token', () => {
    const own = [
      createSubscription({ id: 'a', hookUrl: `${WEBHOOK_URL}?token=x` }),
      createSubscription({ id: 'b', hookUrl }),
    ];
    const plan = diffSubscriptions(one, own);
    expect([plan.create, plan.keep[0]?.id, plan.remove[0]?.id]).toEqual([[], 'b', 'a']);
  });
});
