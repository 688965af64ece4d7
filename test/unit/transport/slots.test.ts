import { Slots } from '../../../nodes/shared/transport/slots';

test('at most so many at once, in their order, also after failures', async () => {
  const slots = new Slots(3);
  const started: number[] = [];
  let [atOnce, most] = [0, 0];
  const runs = Array.from({ length: 20 }, (_, index) =>
    slots.run(async () => {
      started.push(index);
      most = Math.max(most, ++atOnce);
      await new Promise(setImmediate);
      atOnce--;
      if (index % 4 === 0) throw new Error(`run ${index}`);
      return index;
    }),
  );
  const results = await Promise.allSettled(runs);
  expect(most).toBe(3);
  expect(started).toEqual(Array.from({ length: 20 }, (_, index) => index));
  expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(5);
});
