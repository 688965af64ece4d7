import { skipWaits } from '../../environment/skipWaits';
import { drawCases } from './faultCases';
import { useSceneStore } from './sceneStore';
import { createCases, createWalk, OPERATIONS, walk } from './updateWalk';

// Each test injects every fault at every request of a write.
skipWaits();

const scenes = useSceneStore();

describe.each(OPERATIONS)('%s', (operation) => {
  test('without a fault writes the values of the item and nothing else', async () => {
    expect(await walk(scenes, createCases(operation))).toEqual([]);
  });

  test('loses nothing with a fault at any of its requests', async () => {
    expect(await walk(scenes, drawCases(createWalk(operation)))).toEqual([]);
  });
});
