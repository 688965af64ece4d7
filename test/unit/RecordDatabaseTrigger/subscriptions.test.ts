import {
  type DesiredSubscription,
  diffSubscriptions,
} from '../../../nodes/RecordDatabaseTrigger/subscriptions';
import { parseSubscriptions } from '../../../nodes/service';
import { createSubscription } from './identity';

describe('the diff', () => {
  const wanted: DesiredSubscription[] = ['INSERT', 'UPDATE'].map((event) => ({
    tableId: 't1',
    event: event as 'INSERT',
    hookUrl: 'x',
  }));

  test('keeps one of each, creates missing subscriptions and removes surplus ones', () => {
    const own = [
      createSubscription({ id: 'a' }),
      createSubscription({ id: 'b' }),
      createSubscription({ id: 'c', type: 'DELETE' }),
      createSubscription({ id: 'd', data_table_id: 't2' }),
    ];
    const { create, keep, remove } = diffSubscriptions(wanted, own, () => true);
    expect(create).toEqual([wanted[1]]);
    expect(keep.map(({ id }) => id)).toEqual(['a']);
    expect(remove.map(({ id }) => id)).toEqual(['b', 'c', 'd']);
  });

  test('replaces subscriptions that do not match', () => {
    const plan = diffSubscriptions(
      wanted.slice(0, 1),
      [createSubscription({ id: 'a' }), createSubscription({ id: 'b' })],
      ({ id }) => id === 'b',
    );
    expect([plan.create, plan.keep[0]?.id, plan.remove[0]?.id]).toEqual([[], 'b', 'a']);
  });
});

test.each([
  [[createSubscription()], ['INSERT']],
  [{ type: 'success', web_hooks: [createSubscription(), { id: 1 }, null, 'x'] }, ['INSERT']],
  [{ items: [{ ...createSubscription(), type: 'insert', id: 7, extra: true }] }, ['INSERT']],
  [{ items: [] }, []],
  [{ type: 'success' }, undefined],
  ['page', undefined],
])('subscriptions in %j', (body, types) => {
  const found = parseSubscriptions(body);
  expect(found?.map(({ type }) => type)).toEqual(types);
  expect(found?.map(({ id }) => typeof id)).toEqual(types?.map(() => 'string'));
});
