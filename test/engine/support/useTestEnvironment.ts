import type { ServiceOptions } from '../../service';
import { TestEnvironment } from './testEnvironment';

/**
 * Starts one environment for all tests of a file. After each test, it removes the faults and expects that the
 * specification documents every request.
 */
export function useTestEnvironment(
  options?: Partial<ServiceOptions>,
  engineOptions?: object,
): TestEnvironment {
  const env = new TestEnvironment();
  beforeAll(() => env.start(options, engineOptions));
  afterAll(() => env.stop());
  afterEach(() => {
    env.service.faults.clear();
    expect(env.takeViolations()).toEqual([]);
  });
  return env;
}

/** Starts an environment for each test, and expects at its end that the specification documents every request. */
export function useFreshTestEnvironment(
  options?: Partial<ServiceOptions>,
  engineOptions?: object,
): TestEnvironment {
  const env = new TestEnvironment();
  beforeEach(() => env.start(options, engineOptions));
  afterEach(async () => {
    const violations = env.takeViolations();
    await env.stop();
    expect(violations).toEqual([]);
  });
  return env;
}
