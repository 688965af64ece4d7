import { loadExample } from '../../examples';
import { useFreshTestEnvironment } from '../support/useTestEnvironment';
import { TestClock } from './support';

/** The example *One message for many new orders* (docs/cookbook.md, 16). */
const clock = new TestClock();
const env = useFreshTestEnvironment({ clock });

test('all orders of a minute start one execution, which writes one message', async () => {
  const trigger = await env.engine.activate(loadExample('one-message-for-many', env.service));
  const orders = env.getTable('Orders');
  const poll = async () => {
    clock.advance(60);
    await trigger.poll();
    return (await trigger.waitUntilIdle()).map((run) => run.getJson('Write Message'));
  };
  for (const number of ['M 1', 'M 2', 'M 3']) {
    orders.insert({ number });
    clock.advance(1);
  }
  expect(await poll()).toEqual([[{ message: '3 new orders: M 1, M 2, M 3' }]]);
  expect(await poll()).toHaveLength(1);
  orders.insert({ number: 'M 4' });
  expect((await poll()).at(-1)).toEqual([{ message: '1 new orders: M 4' }]);
  await trigger.deactivate();
});
