import { findAfterLostResponse, findWithPauses } from '../../../../nodes/client/concurrency/wait';
import { ApiError } from '../../../../nodes/client/errors/apiError';
import { systemClock } from '../../../../nodes/n8n/http/port';

const waiting = { clock: systemClock };

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const lost = new ApiError({ message: 'lost', description: '', isOutcomeUnknown: true });

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

test('a create whose response was lost is looked for; a failed search finds nothing', async () => {
  const failOnce = jest.fn<Promise<string>, []>().mockRejectedValueOnce(lost).mockResolvedValue('found');
  const search = findAfterLostResponse(lost, failOnce, waiting);
  await jest.advanceTimersByTimeAsync(500);
  expect(await search).toBe('found');
  const nothing = findAfterLostResponse(lost, async () => undefined, waiting).catch(
    (error: unknown) => error,
  );
  await jest.advanceTimersByTimeAsync(2_000);
  expect(await nothing).toBe(lost);
});

test.each([
  ['the service refused', new ApiError({ message: 'no', description: '' })],
  ['the code failed', new Error('no')],
])('nothing is looked for if %s', async (_, error) => {
  const find = jest.fn(async () => 'found');
  await expect(findAfterLostResponse(error, find, waiting)).rejects.toBe(error);
  expect(find).not.toHaveBeenCalled();
});
