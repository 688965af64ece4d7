import { tryOr } from '../../../../nodes/service';
import { formatDuration } from '../../../../nodes/service/input/messageText';

test('durations', () => {
  expect([0, 1, 2, 60, 5_400].map(formatDuration)).toEqual([
    '0 seconds',
    '1 second',
    '2 seconds',
    '1 minute',
    '1 hour, 30 minutes',
  ]);
});

test('the fallback stands for a value that cannot be read', () => {
  expect(tryOr(() => 1, 2)).toBe(1);
  expect(tryOr(() => JSON.parse('{'), 2)).toBe(2);
});
