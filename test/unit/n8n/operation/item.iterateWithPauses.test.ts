import { type Item, type Items, iterateWithPauses } from '../../../../nodes/n8n/operation/item';
import { ClientGroup } from '../../../../nodes/service';
import { createFetchPort } from '../../../support/fetchPort';

test('a run that is cancelled between two items has no further item', async () => {
  const cancelling = new AbortController();
  const clientGroup = new ClientGroup(createFetchPort({ signal: cancelling.signal }));
  const items = Object.assign(
    [0, 1, 2].map((index) => ({ index }) as Item),
    { clientGroup },
  );
  const seen: number[] = [];
  const run = async () => {
    for await (const { index } of iterateWithPauses(items as unknown as Items)) {
      seen.push(index);
      if (index === 1) cancelling.abort();
    }
  };
  await expect(run()).rejects.toMatchObject({ code: 'cancelled' });
  expect(seen).toEqual([0, 1]);
});
