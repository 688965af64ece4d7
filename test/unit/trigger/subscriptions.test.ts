import { planFor, type Wanted } from '../../../nodes/RecordDatabaseTrigger/subscriptions';
import { subscriptionsIn } from '../../../nodes/shared/model/subscription';
import { row } from './identity';

describe('the diff', () => {
  const wanted: Wanted[] = ['INSERT', 'UPDATE'].map((event) => ({
    tableId: 't1',
    event: event as 'INSERT',
    hookUrl: 'x',
  }));

  test('keeps one of each, creates what is missing, removes what is left over', () => {
    const own = [
      row({ id: 'a' }),
      row({ id: 'b' }),
      row({ id: 'c', type: 'DELETE' }),
      row({ id: 'd', data_table_id: 't2' }),
    ];
    const { create, keep, remove } = planFor(wanted, own, () => true);
    expect(create).toEqual([wanted[1]]);
    expect(keep.map(({ id }) => id)).toEqual(['a']);
    expect(remove.map(({ id }) => id)).toEqual(['b', 'c', 'd']);
  });

  test('replaces what does not fit', () => {
    const plan = planFor(wanted.slice(0, 1), [row({ id: 'a' }), row({ id: 'b' })], ({ id }) => id === 'b');
    expect([plan.create, plan.keep[0]?.id, plan.remove[0]?.id]).toEqual([[], 'b', 'a']);
  });
});

test.each([
  [[row()], 1],
  [{ type: 'success', web_hooks: [row(), { id: 1 }, null, 'x'] }, 1],
  [{ items: [{ ...row(), type: 'insert', id: 7, extra: true }] }, 1],
  [{ items: [] }, 0],
  [{ type: 'success' }, undefined],
  ['page', undefined],
])('subscriptions in %j', (body, count) => {
  const found = subscriptionsIn(body);
  expect(found?.length).toBe(count);
  if (count) expect(found![0]).toMatchObject({ id: expect.any(String) as string, type: 'INSERT' });
});
