import { type Item, type Items, iterateInTurns } from '../../../../nodes/n8n/operation/item';
import { AbortedError } from '../../../../nodes/service';

test('a run that is cancelled between two items has no further item', async () => {
  const cancelling = new AbortController();
  const items = [0, 1, 2].map((index) => ({ index, cancelSignal: cancelling.signal }) as Item);
  const seen: number[] = [];
  const run = async () => {
    for await (const { index } of iterateInTurns(items as unknown as Items)) {
      seen.push(index);
      if (index === 1) cancelling.abort();
    }
  };
  await expect(run()).rejects.toThrow(AbortedError);
  expect(seen).toEqual([0, 1]);
});
