import { systemClock } from '../../../../nodes/n8n/http/port';
import { findWithPauses } from '../../../../nodes/service';

const waiting = { clock: systemClock };

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

test('looks at once, after 0.5 s and after another 1.5 s', async () => {
  const find = jest.fn(async () => undefined);
  const search = findWithPauses(find, waiting);
  await jest.advanceTimersByTimeAsync(499);
  expect(find).toHaveBeenCalledTimes(1);
  await jest.advanceTimersByTimeAsync(1);
  expect(find).toHaveBeenCalledTimes(2);
  await jest.advanceTimersByTimeAsync(1_499);
  expect(find).toHaveBeenCalledTimes(2);
  await jest.advanceTimersByTimeAsync(1);
  expect(find).toHaveBeenCalledTimes(3);
  expect(await search).toBeUndefined();
});

test('ends with the first result', async () => {
  const find = jest
    .fn<Promise<string | undefined>, []>()
    .mockResolvedValueOnce(undefined)
    .mockResolvedValue('found');
  const search = findWithPauses(find, waiting);
  await jest.advanceTimersByTimeAsync(500);
  expect(await search).toBe('found');
  expect(find).toHaveBeenCalledTimes(2);
});

test('an aborted search looks no more', async () => {
  const find = jest.fn(async () => 'found');
  expect(await findWithPauses(find, { ...waiting, signal: AbortSignal.abort() })).toBeUndefined();
  expect(find).not.toHaveBeenCalled();
});
