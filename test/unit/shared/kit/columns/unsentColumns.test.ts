import { SemanticsStore } from '../../../../../nodes/shared/kit/columns/unsentColumns';
import type { Item } from '../../../../../nodes/shared/kit/operation/item';
import { recordEndpoints } from '../../../../../nodes/shared/model/endpoints/records';
import type { PayloadEntries } from '../../../../../nodes/shared/model/fields';

let count = 0;
const { update } = recordEndpoints;
const TEXT: PayloadEntries = [['name', 'a']];
const FILE: PayloadEntries = [['file', [{ data: 'eA==', mimeType: 'text/plain' }] as never]];

/** Each service has an address of its own, because the process remembers what it learned. */
function createItem({
  columnsNotGiven = 'detect',
  option,
}: { columnsNotGiven?: string; option?: string } = {}) {
  const credential = { baseUrl: `https://${++count}.example`, appId: 'app', columnsNotGiven };
  return { client: { credential }, readOption: () => option } as unknown as Item;
}

test.each([
  [{}, undefined, true],
  [{ columnsNotGiven: 'keeps' }, 'keeps', false],
  [{ columnsNotGiven: 'blanks' }, 'blanks', false],
  [{ columnsNotGiven: 'keeps', option: 'blanks' }, 'blanks', false],
])('with the settings %j, an update knows %s', (settings, known, canDetect) => {
  const store = new SemanticsStore(createItem(settings), update, TEXT);
  expect([store.known, store.canDetect]).toEqual([known, canDetect]);
});

test('a result is remembered for the service and the endpoint', () => {
  const item = createItem();
  new SemanticsStore(item, update, TEXT).remember('keeps');
  expect(new SemanticsStore(item, update, TEXT).known).toBe('keeps');
  expect(new SemanticsStore(item, recordEndpoints.create, TEXT).known).toBeUndefined();
  expect(new SemanticsStore(createItem(), update, TEXT).known).toBeUndefined();
});

test('an update with files is detected apart, because its body is a form', () => {
  const item = createItem();
  new SemanticsStore(item, update, FILE).remember('blanks');
  expect(new SemanticsStore(item, update, TEXT).known).toBeUndefined();
  expect(new SemanticsStore(item, update, FILE).known).toBe('blanks');
});

test('after five detections without a result, no other is tried', () => {
  const store = new SemanticsStore(createItem(), update, TEXT);
  const tried = Array.from({ length: 6 }, () => {
    const can = store.canDetect;
    store.remember(undefined);
    return can;
  });
  expect(tried).toEqual([true, true, true, true, true, false]);
  expect(store.known).toBeUndefined();
});

test('others see a detection while it runs, and not after it', async () => {
  const store = new SemanticsStore(createItem(), update, TEXT);
  let finish: (value: string) => void = () => {};
  const result = store.detect(() => new Promise<string>((resolve) => (finish = resolve)));
  expect(store.running).toBeInstanceOf(Promise);
  finish('done');
  expect(await result).toBe('done');
  await store.running;
  expect(store.running).toBeUndefined();
  // A failed detection ends as well.
  await expect(store.detect(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await store.running;
  expect(store.running).toBeUndefined();
});
