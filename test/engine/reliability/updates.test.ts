import { skipWaits } from '../../environment/skipWaits';
import { useSceneStore } from '../../slow/faults/sceneStore';
import { createCases, createWalk, OPERATIONS, walk } from '../../slow/faults/updateWalk';

/** A part of the walk of `npm run test:slow`, spread over all its faults, requests, changes and settings. */

skipWaits();

const scenes = useSceneStore();

/** Every 151st case: a prime, so that each fault, position and change has cases. */
const STEP = 151;

describe.each(OPERATIONS)('%s', (operation) => {
  test('loses nothing, without a fault and with one at one of its requests', async () => {
    const cases = createWalk(operation).filter((_, index) => index % STEP === 0);
    expect(await walk(scenes, [...createCases(operation), ...cases])).toEqual([]);
  });
});
