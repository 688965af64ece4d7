import { scaleRuns } from '../../randomness';
import { TestEnvironment } from '../support/testEnvironment';
import { copyUnderRandomChanges } from './randomChanges';

/** The example with both triggers. */
const CHANGES = scaleRuns(1_000);

let env: TestEnvironment;
beforeAll(async () => {
  env = await TestEnvironment.start();
});
afterAll(() => env.stop());

test(`${CHANGES} changes: each final state arrives in the target table, no record twice`, async () => {
  await copyUnderRandomChanges(env, { changes: CHANGES, changesPerRound: 25 });
  expect(env.takeViolations()).toEqual([]);
  // On a busy machine a round takes seconds, because each process starts again.
}, 900_000);
