import { tryOr } from '../../../../nodes/service';
import { formatSeconds } from '../../../../nodes/service/input/messageText';

test('durations', () => {
  expect([0, 1, 2].map(formatSeconds)).toEqual(['0 seconds', '1 second', '2 seconds']);
});

test('the fallback stands for a value that cannot be read', () => {
  expect(tryOr(() => 1, 2)).toBe(1);
  expect(tryOr(() => JSON.parse('{'), 2)).toBe(2);
});
