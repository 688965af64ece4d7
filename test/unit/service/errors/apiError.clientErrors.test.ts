import { AbortedError, DailyLimitError } from '../../../../nodes/service/errors/apiError';

test.each([
  [new AbortedError(), 'AbortedError', 'cancelled', undefined],
  [new DailyLimitError(60), 'DailyLimitError', 'dailyLimit', 429],
])('%s has a name and a code', (error, name, code, status) => {
  expect(error).toMatchObject({ name, code, status });
});
