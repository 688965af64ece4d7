/* eslint-disable no-console -- not shipped: runs on Node */
import { copyUnderRandomChanges } from '../engine/polling/randomChanges';
import { TestEnvironment } from '../engine/support/testEnvironment';
import { scaleRuns } from '../randomness';

/** The example with both triggers, under 10,000 random changes in ten parts, each with a service and an engine of its own. */
const PARTS = scaleRuns(10);
const CHANGES_PER_PART = 1_000;

test.each(Array.from({ length: PARTS }, (_, index) => index + 1))(
  `part %d of ${PARTS}: ${CHANGES_PER_PART} changes, each final state arrives in the target table, no record twice`,
  async (part) => {
    const env = await TestEnvironment.start();
    try {
      const started = performance.now();
      await copyUnderRandomChanges(env, { changes: CHANGES_PER_PART, changesPerRound: 100 });
      console.log(`part ${part}: ${Math.round((performance.now() - started) / 1000)} s`);
      expect(env.takeViolations()).toEqual([]);
    } finally {
      await env.stop();
    }
  },
);
