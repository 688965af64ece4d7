import { isEqual, mapValues, pick } from 'lodash';
import { chainNodes, type WorkflowJson } from '../harness';
import { scaleSize } from '../randomness';
import { createWays, type Json, runWay, type Subject, SUBJECTS, type Way } from './support/recordWays';
import { START, TestEnvironment } from './support/testEnvironment';

/**
 * One record has one shape, whichever node returns it. Of any two nodes, the keys that both have hold the same value and
 * stand in the same order, and what happened to the record stands first. `exchangedNodes.test.ts` exchanges nodes in workflows.
 */

/** What differs between two records of the same values. */
const toComparableValue = (item: Json, { key }: Subject): Json => ({
  ...item,
  ...mapValues(
    pick(item, ['id', 'created_at', 'updated_at', 'auto_increment', key]),
    (value) => typeof value,
  ),
});

const isOwnKey = (key: string) => key.startsWith('_');

/** Lists the keys of two items that an expression would read differently. */
function compareItems(one: Json, other: Json): unknown[] {
  const common = Object.keys(one).filter((key) => key in other && !isOwnKey(key));
  const order = Object.keys(other).filter((key) => common.includes(key));
  return [
    ...(isEqual(common, order) ? [] : [['order', common, order]]),
    ...common.filter((key) => !isEqual(one[key], other[key])).map((key) => [key, one[key], other[key]]),
  ];
}

function createWorkflow({ nodes, tool, happen }: Way): WorkflowJson {
  const { connections, ...workflow } = chainNodes(...(happen ? [] : [START]), ...nodes);
  if (!tool) return { ...workflow, connections };
  const link = [[{ node: nodes[0]!.name, type: 'ai_tool', index: 0 }]];
  return {
    nodes: [...workflow.nodes, tool],
    connections: { ...connections, [tool.name]: { ai_tool: link } },
  };
}

describe.each(['documented', 'met'] as const)('%s', (profile) => {
  const env = new TestEnvironment();
  beforeAll(async () => {
    await env.start({ profile });
    // The polling trigger compares all records of the table.
    const { records } = env.getTable('Orders');
    for (const id of [...records.keys()].slice(60)) records.delete(id);
  });
  afterAll(() => env.stop());
  afterEach(() => expect(env.takeViolations()).toEqual([]));

  async function readItem(way: Way): Promise<Json> {
    const run = await runWay(env, way, createWorkflow(way));
    if (run.error) throw new Error(`${run.error.message} | ${run.error.description}`);
    const [item, ...others] = run.getJson(way.nodes.at(-1)!.name);
    if (!item || others.length > 0) throw new Error(`There are ${others.length + (item ? 1 : 0)} items`);
    return item;
  }

  // A service as met differs most where records are connected.
  const drawn = profile === 'met' ? 'Orders' : 'Customers';
  const subjects = SUBJECTS.filter(
    ({ component, table }) => component && (table === drawn || scaleSize(false, true)),
  );
  test.each(subjects)('any two nodes return a record of $table in the same shape', async (subject) => {
    const items: Array<[name: string, item: Json]> = [];
    for (const [name, create] of Object.entries(await createWays(env, subject)))
      items.push([name, toComparableValue(await readItem(await create()), subject)]);
    expect(items.length).toBeGreaterThanOrEqual(25);
    const differences = items.flatMap(([name, one], index) =>
      items.slice(index + 1).flatMap(([other, item]) => {
        const found = compareItems(one, item);
        return found.length === 0 ? [] : [[`${name} / ${other}`, found]];
      }),
    );
    expect(differences).toEqual([]);
    // An item that says what happened says it first.
    const isFirst = ([, item]: [string, Json]) => {
      const at = Object.keys(item).findIndex((key) => /^_(action|event)$/.test(key));
      return at <= 0;
    };
    expect(items.filter((item) => !isFirst(item))).toEqual([]);
    // Each has most of the record: an item without keys would equal any other.
    const counts = items.map(([name, item]) => [
      name,
      Object.keys(item).filter((key) => !isOwnKey(key)).length,
    ]);
    expect(counts.filter(([, keys]) => Number(keys) < 8)).toEqual([]);
  });
});
