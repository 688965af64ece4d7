/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { isDeepStrictEqual } from 'node:util';

/** `expect(actual).toEqual(expected)` for tests that compare often: `expect` takes longer than the tested code. */
export function expectEqual(actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toEqual(expected);
}
