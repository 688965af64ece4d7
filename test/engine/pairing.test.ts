import { skipWaits } from '../environment/skipWaits';
import { createNode, type Run } from '../harness';
import { scaleSize } from '../randomness';
import { createObject, withNeededObject } from './support/neededObjects';
import { createContractCases, findSampleIds, INPUT_ITEM, toNodeType } from './support/runOperation';
import { START } from './support/testEnvironment';
import { useTestEnvironment } from './support/useTestEnvironment';

/**
 * An expression of a later node finds the input item of each output: `$('Start').item`. n8n's expressions follow
 * `pairedItem` themselves here.
 */

skipWaits();
const env = useTestEnvironment();

const TAGS = ['first', 'second', 'third'];
const INPUT = TAGS.map((tag) => ({ ...INPUT_ITEM, json: { tag, [`${tag} only`]: true } }));

/** Reads the tag of the item before the operation, or the message of n8n where it finds none or several. */
const readTags = (name: string) =>
  createNode(
    name,
    'n8n-nodes-base.set',
    {
      mode: 'raw',
      jsonOutput:
        '={{ { tag: (() => { try { return $("Start").item.json.tag } catch (error) { return error.message } })() } }}',
      options: {},
    },
    { onError: 'continueRegularOutput' },
  );

const toLink = (node: string) => [{ node, type: 'main', index: 0 }];

/** Runs an operation on three items, with a node behind each of its outputs. */
async function run(type: string, parameters: object, onError?: string): Promise<Run> {
  return env.engine.run(
    {
      nodes: [
        START,
        createNode('Node', toNodeType(type), parameters, { onError }),
        readTags('After'),
        readTags('Failed'),
      ],
      connections: {
        Start: { main: [toLink('Node')] },
        Node: { main: [toLink('After'), toLink('Failed')] },
      },
    },
    { input: structuredClone(INPUT) as never },
  );
}

/** Lists the outputs whose later node reads another tag than that of their input item. */
function listWrong(run: Run, name: string, output: number, after: string): string[] {
  if (run.getItems('Node', output).length === 0) return [];
  const tags = run.getItems(after).map(({ json }) => String(json.tag));
  return run.getItems('Node', output).flatMap(({ pairedItem }, index) => {
    const pairs = [pairedItem ?? []].flat() as Array<{ item: number }>;
    const tag = tags[index] ?? 'no item';
    const isRight =
      pairs.length === 1 ? tag === TAGS[pairs[0]!.item] : /paired item|matching items/i.test(tag);
    return isRight ? [] : `${name} [${index}]: ${JSON.stringify(pairs)} ${tag}`;
  });
}

test.each([
  ['continueErrorOutput', 'as documented', {}],
  ['continueErrorOutput', 'refused', { appKey: 'wrong' }],
  ['continueRegularOutput', 'refused', { appKey: 'wrong' }],
])('%s: each operation, %s', async (onError, _answer, settings) => {
  // Refusals go the same way for all operations: each operation is tried with one of the settings of On Error.
  const at = onError === 'continueErrorOutput' ? 0 : 1;
  const step = 'appKey' in settings ? scaleSize(2, 1) : 1;
  const all = createContractCases(env, await findSampleIds(env));
  const cases = all.filter((_, index) => index % step === at % step);
  const wrong: string[] = [];
  const counts = { After: 0, Failed: 0 };
  for (const { name, type, parameters } of cases) {
    const given = await withNeededObject(parameters, (kind) => createObject(env, kind));
    const done = await env.withSettings(settings, () => run(type, given, onError));
    if (done.error) throw new Error(`${name}: ${done.error.message}`);
    for (const [output, after] of (['After', 'Failed'] as const).entries()) {
      counts[after] += done.getItems('Node', output).length;
      wrong.push(...listWrong(done, name, output, after));
    }
  }
  expect(wrong).toEqual([]);
  const isRefused = 'appKey' in settings;
  expect(counts.After > 200 / step).toBe(!isRefused || onError === 'continueRegularOutput');
  expect(counts.Failed > 200 / step).toBe(isRefused && onError === 'continueErrorOutput');
});
