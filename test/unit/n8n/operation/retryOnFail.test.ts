import type { IExecuteFunctions } from 'n8n-workflow';
import type { Item, Items } from '../../../../nodes/n8n/operation/item';
import type { Operation, Result } from '../../../../nodes/n8n/operation/operation';
import { Tries, ensureSafeRepetition, joinTryResults } from '../../../../nodes/n8n/operation/retryOnFail';
import { ApiError } from '../../../../nodes/service';

/** What a try of a node takes from the try before, and from nothing else. */

const TYPE = 'n8n-nodes-record-database.recordDatabase';

interface Given {
  signal?: AbortSignal | undefined;
  name?: string;
  runIndex?: number;
  retryOnFail?: boolean;
  writes?: boolean;
  values?: object;
  type?: string;
}

const createSignal = () => new AbortController().signal;
const signal = createSignal();

/** Opens a try, by default of one node in one execution. */
function open(given: Given = {}): Tries | undefined {
  const {
    name = 'Node',
    runIndex = 0,
    retryOnFail = true,
    writes = true,
    values = { a: 1 },
    type = TYPE,
  } = given;
  const context = {
    getNode: () => ({ name, retryOnFail, type }),
    getExecutionCancelSignal: () => ('signal' in given ? given.signal : signal),
    getWorkflowDataProxy: () => ({ $runIndex: runIndex }),
  } as unknown as IExecuteFunctions;
  return Tries.startTry(context, { writes } as Operation, [{ json: { ...values } }]);
}

const createItem = (index: number, more: object = {}) => ({ index, effects: [], changes: [], hasStarted: false, ...more }) as unknown as Item; // prettier-ignore
const failure = (more: object = {}) => new ApiError({ message: 'No', description: 'Why.', ...more });

/** Runs an item, and returns whether it was run, with its results. */
async function runItem(tries: Tries, result: Result[] | Error, item = createItem(0)) {
  let runs = 0;
  const results = await tries
    .runItem(item, async () => {
      runs++;
      if (result instanceof Error) throw result;
      return result;
    })
    .catch((error: unknown) => [{ error }]);
  return { runs, results };
}

const OUTPUT: Result[] = [{ json: { id: 'r1' } }];

/** A try that ends with an error after its first item succeeded. */
async function failOnce(given: Given = {}): Promise<void> {
  const tries = open(given)!;
  await runItem(tries, OUTPUT);
  tries.endTry();
}

test('the next try does not run an item that succeeded again, and the one after a success does', async () => {
  const given = { signal: createSignal() };
  await failOnce(given);
  expect(await runItem(open(given)!, [])).toEqual({ runs: 0, results: OUTPUT });
  expect(await runItem(open(given)!, [])).toEqual({ runs: 1, results: [] });
});

test.each<[string, Given]>([
  ['execution', { signal: createSignal() }],
  ['node', { name: 'Other' }],
  ['run of the node', { runIndex: 1 }],
  ['input', { values: { a: 2 } }],
])('nothing is taken from another %s', async (_what, other) => {
  const own = { signal: createSignal() };
  await failOnce({ ...own, ...other });
  expect((await runItem(open(own)!, [])).runs).toBe(1);
});

test.each<[string, Given]>([
  ['a node without Retry On Fail', { retryOnFail: false }],
  ['an operation that only reads', { writes: false }],
])('%s keeps nothing', (_what, given) => expect(open(given)).toBeUndefined());

test('only the last run of a node is kept, and many failed calls of a tool', async () => {
  const own = { signal: createSignal() };
  for (const runIndex of [0, 1]) await failOnce({ ...own, runIndex });
  expect((await runItem(open({ ...own, runIndex: 0 })!, [])).runs).toBe(1);
  const tool = { signal: createSignal(), type: `${TYPE}Tool` };
  for (let a = 0; a <= 100; a++) await failOnce({ ...tool, runIndex: a, values: { a } });
  const isRun = async (a: number) =>
    (await runItem(open({ ...tool, runIndex: 500, values: { a } })!, [])).runs;
  expect([await isRun(0), await isRun(1), await isRun(100)]).toEqual([1, 0, 0]);
});

test('a call of a tool is its next try only after an error', async () => {
  const tool = { signal: createSignal(), type: `${TYPE}Tool` };
  const tries = open(tool)!;
  await runItem(tries, OUTPUT);
  tries.endTry([{ json: { error: 'No' } }]);
  expect((await runItem(open({ ...tool, runIndex: 1 })!, [])).runs).toBe(1);
});

test.each([
  ['an error', { error: 'No' }, 0],
  ['no error', { id: 'r' }, 1],
  ['an empty error', { error: null }, 0],
  ['no error as false', { error: false }, 0],
])('a try that returned %s in its first item is repeated by n8n or not', async (_what, json, runs) => {
  const own = { signal: createSignal() };
  const tries = open(own)!;
  await runItem(tries, OUTPUT);
  tries.endTry([{ json }]);
  expect((await runItem(open(own)!, [])).runs).toBe(runs);
});

test.each<[string, ApiError, object, number]>([
  ['had no effect', failure({ status: 422 }), {}, 1],
  ['may have made something', failure({ isOutcomeUnknown: true }), {}, 0],
  ['may have made something that a unique value makes once', failure({ isOutcomeUnknown: true, isRepeatable: true }), {}, 1], // prettier-ignore
  ['had started something', failure({ status: 422 }), { hasStarted: true }, 0],
])('an item whose failure %s', async (_what, error, more, runs) => {
  const own = { signal: createSignal() };
  const tries = open(own)!;
  await runItem(tries, error, createItem(0, more));
  tries.endTry();
  const next = await runItem(open(own)!, OUTPUT);
  expect(next.runs).toBe(runs);
  const notRepeated = [{ error: { description: 'Why. Retry On Fail did not run this item again.' } }];
  expect(next.results).toMatchObject(runs === 0 ? notRepeated : OUTPUT);
});

test('an item of which a part failed runs again, and keeps what it had', async () => {
  const own = { signal: createSignal() };
  const tries = open(own)!;
  await runItem(tries, [...OUTPUT, { error: failure({ status: 422 }) }]);
  tries.endTry();
  const again = await runItem(open(own)!, [{ json: { id: 'r2' } }]);
  expect(again).toEqual({ runs: 1, results: [...OUTPUT, { json: { id: 'r2' } }] });
});

test('an item of which a part failed, and whose next try fails, keeps what it had', async () => {
  const own = { signal: createSignal() };
  const tries = open(own)!;
  await runItem(tries, [...OUTPUT, { error: failure({ status: 422 }) }]);
  tries.endTry();
  const error = failure({ status: 500 });
  expect(await runItem(open(own)!, error)).toEqual({ runs: 1, results: [...OUTPUT, { error }] });
});

describe('the results of two tries', () => {
  const old = (id: string) => ({ _action: 'deleted', id, title: `old ${id}` });
  const failWith = (...ids: string[]) => ({ error: failure({ details: { oldRecords: ids.map(old) } }) });

  test('keep the outputs of the first and all of the second', () => {
    expect(joinTryResults([...OUTPUT, { error: failure() }], [{ json: { id: 'r2' } }])).toEqual([
      ...OUTPUT,
      { json: { id: 'r2' } },
    ]);
  });

  test('have the old records of the first, once, although the second has only the new ones', () => {
    const now: Result[] = [{ json: { id: 'a', title: 'new' } }, { json: { id: 'c' } }];
    expect(joinTryResults([failWith('a')], now)).toEqual([{ json: old('a') }, { json: { id: 'c' } }]);
    expect(joinTryResults([{ json: { id: 'a' } }, failWith('a')], [])).toEqual([{ json: { id: 'a' } }]);
  });

  test('have the old records of both in an error', () => {
    const [joined] = joinTryResults([failWith('a')], [failWith('b')]);
    expect(joined).toMatchObject({ error: { details: { oldRecords: [old('b'), old('a')] } } });
  });
});

describe('an execution that is repeated', () => {
  const check = (more: { mode?: string; count?: number; makes?: object | null } = {}) => {
    const { mode = 'retry', count = 2, makes = { noun: 'records', remedy: 'Remedy.' } } = more;
    const items = Array.from({ length: count }, (_, index) => createItem(index));
    const context = { getMode: () => mode } as unknown as IExecuteFunctions;
    ensureSafeRepetition(context, { makes: makes ?? undefined } as Operation, items as unknown as Items);
  };

  test('makes nothing again', () => {
    expect(check).toThrow('which may already have made some of the 2 records');
    const isSafe = (item: Item) => item.index > 1;
    expect(() => check({ count: 5, makes: { noun: 'records', remedy: '', isSafe } })).toThrow(
      'of the 2 records',
    );
  });

  test.each([
    ['is not one', { mode: 'trigger' }],
    ['has one item', { count: 1 }],
    ['makes nothing', { makes: null }],
    [
      'makes one thing that is not safe',
      { makes: { noun: '', remedy: '', isSafe: ({ index }: Item) => index > 0 } },
    ],
  ])('runs if it %s', (_what, more) => expect(() => check(more)).not.toThrow());
});
