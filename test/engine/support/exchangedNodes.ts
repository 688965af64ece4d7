import { isEqual, uniq } from 'lodash';
import { listExamples, loadExample } from '../../examples';
import { createNode, type NodeJson, type WorkflowJson } from '../../harness';
import { createSeed } from '../../randomness';
import { Random } from '../../service/state/random';
import { createWays, type Json, runWay, type Subject, SUBJECTS, type Way } from './recordWays';
import { START, TestEnvironment } from './testEnvironment';

/**
 * Each node of the example workflows that returns a record is exchanged for every other way to return it, and the workflow
 * runs on n8n's engine. Of any two ways, the expressions of later nodes that read keys which both have return the same.
 * The other nodes of this package pass their items on, so that nothing is written.
 */

const OURS = 'n8n-nodes-record-database.';
const isOurs = ({ type }: NodeJson) => type.startsWith(OURS);
/** n8n's nodes that pass their items on: `$json` of the next node is still the record. */
const PASSES_ON = /\.(if|filter|noOp|wait|splitInBatches)$/;

/** The operations and triggers that return records one by one. */
const RETURNS_RECORDS = /^(get|getAll|search|create|update|upsert|sync|save|getRecords|)$/;

type Links = Record<string, { main?: Array<Array<{ node: string }> | null> }>;

const listTargets = (links: Links, name: string): string[] =>
  uniq((links[name]?.main ?? []).flatMap((output) => (output ?? []).map(({ node }) => node)));

/** The nodes that one reaches, each after the one that leads to it. */
function listReached(getNext: (name: string) => string[], start: string): string[] {
  const found = [start];
  for (const name of found) found.push(...getNext(name).filter((one) => !found.includes(one)));
  return found.slice(1);
}

/** An expression of a later node, and the keys of the record that it reads. */
interface Reading {
  at: string;
  expression: string;
  keys: string[];
}

function listExpressions(value: unknown, path: string): Array<[path: string, expression: string]> {
  if (typeof value === 'string') return value.startsWith('=') ? [[path, value]] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => listExpressions(one, `${path}.${key}`));
}

/** The keys that an expression reads from the items of a node: by `$('Name')`, and by `$json` if it gets them. */
function listKeys(expression: string, name: string, isNext: boolean): string[] {
  const parts = expression.split(/(?=\$json\b|\$\()/);
  return uniq(
    parts.flatMap((part) => {
      // Keys such as `_event` say what happened, which differs.
      const isRead = part.startsWith('$json') ? isNext : part.startsWith(`$('${name}')`);
      return isRead ? Array.from(part.matchAll(/json\.(?!_)(\w+)/g), ([, key]) => key!) : [];
    }),
  );
}

/** A node of an example that returns records. */
interface Place {
  title: string;
  workflow: WorkflowJson;
  node: NodeJson;
  subject: Subject;
  form: 'slugs' | 'names';
  readings: Reading[];
  /** The nodes before it, if an expression behind it reads one of them. */
  before: string[];
}

function createPlace(title: string, workflow: WorkflowJson, node: NodeJson, subject: Subject): Place {
  const links = (workflow.connections ?? {}) as Links;
  const byName = new Map(workflow.nodes.map((one) => [one.name, one]));
  const later = listReached((name) => listTargets(links, name), node.name);
  const next = new Set(
    listReached(
      (name) =>
        name === node.name || PASSES_ON.test(byName.get(name)!.type) ? listTargets(links, name) : [],
      node.name,
    ),
  );
  const listIn = (name: string) => listExpressions(byName.get(name)!.parameters, name);
  const readings = later
    .flatMap((name) =>
      listIn(name).map(([at, expression]) => ({
        at,
        expression,
        keys: listKeys(expression, node.name, next.has(name)),
      })),
    )
    .filter(({ keys }) => keys.length > 0);
  const evaluated = [
    ...readings.map(({ expression }) => expression),
    ...later
      .filter((name) => !isOurs(byName.get(name)!))
      .flatMap((name) => listIn(name).map(([, expression]) => expression)),
  ];
  const sources = (name: string) =>
    Object.keys(links).filter((one) => listTargets(links, one).includes(name));
  const earlier = listReached(sources, node.name);
  const isNeeded = evaluated.some((text) => earlier.some((name) => text.includes(`$('${name}')`)));
  const { simplify, output } = (node.parameters ?? {}) as Json;
  const form = simplify === 'names' || output === 'namedRecord' ? 'names' : 'slugs';
  return { title, workflow, node, subject, form, readings, before: isNeeded ? earlier : [] };
}

/** Finds the nodes that return records which later expressions read. */
function listPlaces(env: TestEnvironment): Place[] {
  return listExamples().flatMap((example) => {
    const workflow = loadExample(example, env.service);
    return workflow.nodes.filter(isOurs).flatMap((node) => {
      const {
        operation = '',
        dataTableId,
        tables,
      } = (node.parameters ?? {}) as {
        operation?: string;
        dataTableId?: { value: string };
        tables?: string[];
      };
      const given = dataTableId?.value ?? tables?.[0];
      const subject = SUBJECTS.find(({ table }) => given === table || given === env.getTable(table).id);
      if (!subject || !RETURNS_RECORDS.test(operation)) return [];
      const place = createPlace(`${example}: ${node.name}`, workflow, node, subject);
      return place.readings.length > 0 ? [place] : [];
    });
  });
}

/** Shows the value of each expression beside the node. */
const createProbe = (readings: Reading[]): NodeJson =>
  createNode(
    'Values',
    'n8n-nodes-base.set',
    {
      assignments: {
        assignments: readings.map(({ expression }, index) => ({
          name: String(index),
          value: expression,
          type: 'any',
        })),
      },
      options: { dotNotation: false },
    },
    { typeVersion: 3.4 },
  );

const toLink = (node: string, type = 'main') => ({ node, type, index: 0 });

/** Exchanges the node of a place for those of a way, of which the last one gets its name. */
function exchange({ workflow, node, readings, before }: Place, { nodes, tool, happen }: Way): WorkflowJson {
  const links = (workflow.connections ?? {}) as Links;
  const later = listReached((name) => listTargets(links, name), node.name);
  const isKept = ({ name }: NodeJson) => later.includes(name) || (!happen && before.includes(name));
  const others = workflow.nodes
    .filter((one) => one.name !== node.name && isKept(one))
    .map((one) =>
      isOurs(one) && !before.includes(one.name) ? createNode(one.name, 'n8n-nodes-base.noOp') : one,
    );
  const row = nodes.map((one, index) => ({
    ...one,
    ...(index === nodes.length - 1 && { name: node.name }),
    // What arrives may be several items; the way returns one record.
    ...(index === 0 && !happen && { executeOnce: true }),
  }));
  const first = row[0]!.name;
  const names = new Set(others.map(({ name }) => name));
  const connections: Record<string, object> = {};
  for (const { name } of others) {
    // A loop would run the way again.
    const isLoop = later.includes(name) && !before.includes(name);
    const outputs = (links[name]?.main ?? []).map((output) =>
      (output ?? [])
        .filter((link) => (link.node === node.name ? !isLoop : names.has(link.node)))
        .map((link) => (link.node === node.name ? toLink(first) : link)),
    );
    connections[name] = { main: outputs };
  }
  for (const [index, { name }] of row.slice(0, -1).entries())
    connections[name] = { main: [[toLink(row[index + 1]!.name)]] };
  const targets = listTargets(links, node.name).filter((name) => name !== node.name);
  connections[node.name] = { main: [[...targets.map((name) => toLink(name)), toLink('Values')]] };
  if (tool) connections[tool.name] = { ai_tool: [[toLink(first, 'ai_tool')]] };
  const needsStart = !happen && before.length === 0;
  if (needsStart) connections[START.name] = { main: [[toLink(first)]] };
  return {
    nodes: [
      ...(needsStart ? [START] : []),
      ...others,
      ...row,
      ...(tool ? [tool] : []),
      createProbe(readings),
    ],
    connections,
  };
}

/** What a workflow showed of one way. */
interface Shown {
  way: string;
  item: Json;
  /** The value of each expression. */
  values: unknown[];
}

/** Replaces what differs between two records of the same values. */
function hideIdentity<T>(value: T, item: Json, { key }: Subject): T {
  const own = ['id', 'created_at', 'Created At', 'updated_at', key, key[0]!.toUpperCase() + key.slice(1)];
  const shown = own.flatMap((name) => (typeof item[name] === 'string' ? [[name, item[name]] as const] : []));
  return JSON.parse(
    shown.reduce(
      (text, [name, one]) => text.replaceAll(JSON.stringify(one).slice(1, -1), `<${name.toLowerCase()}>`),
      JSON.stringify(value),
    ),
  ) as T;
}

/** Lists what differs between two ways: expressions on keys that both have, and these keys themselves. */
function compareShown(one: Shown, other: Shown, readings: Reading[]): unknown[] {
  const hasKeys = ({ keys }: Reading) => keys.every((key) => key in one.item && key in other.item);
  const differences = readings.flatMap((reading, index) =>
    !hasKeys(reading) || isEqual(one.values[index], other.values[index])
      ? []
      : [[reading.at, one.values[index], other.values[index]]],
  );
  const keys = Object.keys(one.item).filter(
    (key) => key in other.item && !key.startsWith('_') && !/^auto_increment$/.test(key),
  );
  const values = keys.filter((key) => !isEqual(one.item[key], other.item[key]));
  return [...differences, ...values.map((key) => [key, one.item[key], other.item[key]])].map((difference) => [
    `${one.way} / ${other.way}`,
    ...difference,
  ]);
}

/**
 * Declares the tests.
 * @param countWays how many of all ways are drawn for each node
 */
export function testExchanges(countWays: (all: number) => number): void {
  describe.each(['documented', 'met'] as const)('%s', (profile) => {
    const env = new TestEnvironment();
    const random = new Random(createSeed());
    beforeAll(async () => {
      await env.start({ profile });
      env.service.addTable({
        name: 'First Contact',
        fields: [
          { name: 'Title', type: 'Text' },
          { name: 'Note', type: 'Text' },
        ],
      });
    });
    afterAll(() => env.stop());
    afterEach(() => expect(env.takeViolations()).toEqual([]));

    async function show(place: Place, name: string, way: Way): Promise<Shown> {
      const run = await runWay(env, way, exchange(place, way));
      const at = `${place.title}, by ${name}`;
      if (run.error) throw new Error(`${at}: ${run.error.message} | ${run.error.description}`);
      const [item] = run.getJson(place.node.name);
      const [values] = run.getJson('Values');
      if (!item || !values) throw new Error(`${at}: no item`);
      const { readings, subject } = place;
      return {
        way: name,
        item: hideIdentity(item, item, subject) as Json,
        values: hideIdentity(
          readings.map((_, index) => values[index] ?? null),
          item,
          subject,
        ),
      };
    }

    test('no expression breaks or changes its meaning', async () => {
      const places = listPlaces(env);
      expect(uniq(places.map(({ title }) => title.split(':')[0])).length).toBeGreaterThanOrEqual(10);
      const differences: unknown[] = [];
      let compared = 0;
      for (const place of places) {
        const ways = Object.entries(await createWays(env, place.subject, place.form)).map(
          ([name, create]) => ({
            name,
            create,
            order: random.next(),
          }),
        );
        const drawn = ways.sort((a, b) => a.order - b.order).slice(0, countWays(ways.length));
        const shown: Shown[] = [];
        for (const { name, create } of drawn) {
          const way = await create();
          // A trigger has no nodes before it, and a deleted record comes from no item.
          if (place.before.length === 0 || !(way.happen ?? way.isUnpaired))
            shown.push(await show(place, name, way));
        }
        for (const [index, one] of shown.entries())
          for (const other of shown.slice(index + 1)) {
            differences.push(
              ...compareShown(one, other, place.readings).map((found) => [place.title, found]),
            );
            compared += place.readings.filter(({ keys }) =>
              keys.every((key) => key in one.item && key in other.item),
            ).length;
          }
      }
      expect(differences).toEqual([]);
      expect(compared).toBeGreaterThan(places.length);
    });

    test('another form of a record is found, by an expression and by its keys', async () => {
      const place = listPlaces(env).find(({ title }) => title === 'orders-of-a-customer: Their Orders')!;
      place.readings.push({ at: 'Another', expression: '={{ $json.customer }}', keys: ['customer'] });
      const read = async (form: 'slugs' | 'off') => {
        const { getAll } = await createWays(env, place.subject, form);
        return show(place, form, await getAll!());
      };
      const [simplified, raw] = [await read('slugs'), await read('off')];
      const found = compareShown(simplified, raw, place.readings).map((one) => (one as unknown[])[1]);
      expect(found).toEqual(['Another', 'customer', 'products']);
      expect(compareShown(simplified, await read('slugs'), place.readings)).toEqual([]);
    });
  });
}
