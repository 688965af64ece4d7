/**
 * Resumes a node after a failed try. With the node setting "Retry On Fail", n8n runs the whole node again with all items:
 * after an error, and after a try whose first output item has a key `error`. n8n does not show the node which try it is.
 * Therefore the results of a failed try are kept. The next try returns them and runs only the other items. All tries of
 * an execution have the same cancel signal object, and no other execution has it. This object is the key of the
 * memory, which ends with the execution.
 */
import { isEqual } from 'lodash';
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { asThrown, InputError, changeTexts, mayHaveChanged, memory } from '../../service';
import { isToolNode } from '../parameters/parameter';
import { type Item, type Items, addEffects, getOldRecords, addOldRecords, mayHaveStarted } from './item';
import { type Operation, type Output, type Result, type RunMode, isFailure } from './operation';

/** What an item, or a run over all items, returned in earlier tries. */
interface Outcome {
  results: Result[];
  /** Whether the next try returns these results instead of running the item again. */
  isSettled: boolean;
}

/** One run of a node over its input, with all its tries. */
interface NodeRun {
  /** n8n's run index. A loop runs a node again with the next index. */
  index: number;
  /** Whether a try threw an error. */
  hasThrown: boolean;
  inputs: INodeExecutionData[];
  /** Outcomes by the index of the input item. */
  items: Map<number, Outcome>;
  /** What an operation that runs once for all items returned in the last try. */
  earlier: Result[];
}

/** The failed runs of an execution, by the name of the node. The cancel signal identifies the execution. */
const getFailedRuns = memory.attach<object, Map<string, NodeRun[]>>(
  'failedRuns',
  { to: 'execution', holds: 'what ended in a failed try of a node with Retry On Fail' },
  () => new Map(),
);

/**
 * The number of failed calls that are kept for one tool in one execution; the oldest is dropped first. Other nodes run
 * one after the other, so only the last run of each is kept.
 */
const MAX_FAILED_CALLS = 100;

/** Whether n8n may repeat a try that returned these items. n8n 1 also repeats for null and false (n8n-core 1.122). */
const isRepeatedByN8n = ([first]: INodeExecutionData[]): boolean => first?.json.error !== undefined;

const isOutput = (result: Result): result is Output => !isFailure(result);

const explainWhyNotRepeated = (result: Result): Result =>
  isFailure(result)
    ? {
        ...result,
        error: changeTexts(result.error, ({ description }) => ({
          description: `${description} Retry On Fail did not run this item again.`,
        })),
      }
    : result;

const readOldRecords = (result: Result): IDataObject[] =>
  isFailure(result) ? getOldRecords(result.error) : [];

/**
 * Joins the results of a try with the outputs of earlier tries. The old records in the error of an earlier try are kept
 * too: in the error of this try, or as outputs if it succeeded. The service does not keep old values.
 */
export function joinTries(earlier: Result[], now: Result[]): Result[] {
  const outputs = earlier.filter(isOutput);
  const shown = new Set(outputs.map(({ json }) => json.id));
  const lost = earlier.flatMap(readOldRecords).filter(({ id }) => !shown.has(id));
  const failure = now.find(isFailure);
  if (lost.length === 0) return [...outputs, ...now];
  if (!failure) {
    const lostIds = new Set(lost.map(({ id }) => id));
    const left = now.filter((result) => isFailure(result) || !lostIds.has(result.json.id));
    return [...outputs, ...lost.map((json) => ({ json })), ...left];
  }
  const error = addOldRecords(failure.error, earlier.flatMap(readOldRecords));
  return [...outputs, ...now.map((result) => (result === failure ? { ...failure, error } : result))];
}

/**
 * Runs what an operation does for all items, with the results of its earlier tries. Returns the results of all tries.
 * Nothing runs again after a failure that is final.
 */
export async function runNextTry(
  { tries }: RunMode,
  run: (earlier: Result[]) => Promise<Result[]>,
): Promise<Result[]> {
  const earlier = tries?.earlier ?? [];
  if (earlier.some((result) => isFailure(result) && result.isFinal === true))
    return earlier.map(explainWhyNotRepeated);
  const now = await run(earlier).catch((error: unknown) => {
    // A try that could not read the records has made no change, but earlier tries may have made some.
    const kept = earlier.flatMap((result) => (isFailure(result) ? readOldRecords(result) : [result.json]));
    throw asThrown(addOldRecords(error, kept));
  });
  const results = joinTries(earlier, now);
  if (tries) tries.earlier = results;
  return results;
}

/** What the tries of one run of a node have done. It exists only for a node with Retry On Fail that changes something. */
export class Tries {
  private constructor(
    private readonly runs: NodeRun[],
    readonly run: NodeRun,
    private readonly maximum: number,
  ) {}

  /** @returns undefined when n8n runs the node once, or when the operation only reads */
  static open(
    context: IExecuteFunctions,
    operation: Operation,
    inputs: INodeExecutionData[],
  ): Tries | undefined {
    const node = context.getNode();
    const { retryOnFail, name } = node;
    // A tool of n8n's MCP Server Trigger has no signal. All tries of a call share the object of its arguments.
    const owner = context.getExecutionCancelSignal?.() ?? inputs[0]?.json;
    if (retryOnFail !== true || operation.writes !== true || !owner) return undefined;
    const byNode = getFailedRuns(owner);
    const runs = byNode.get(name) ?? [];
    byNode.set(name, runs);
    const isTool = isToolNode(node);
    const index = Number(context.getWorkflowDataProxy(0).$runIndex);
    // Each try of an agent's tool has a different index. A call with the arguments of a failed call is treated as its
    // next try, even if the model made it.
    const isSameRun = (run: NodeRun) =>
      (run.index === index || (isTool && run.hasThrown)) && isEqual(run.inputs, inputs);
    const found = runs.findIndex(isSameRun);
    const [run] = found < 0 ? [] : runs.splice(found, 1);
    const fresh = { index, hasThrown: false, inputs, items: new Map<number, Outcome>(), earlier: [] };
    return new Tries(runs, run ?? fresh, isTool ? MAX_FAILED_CALLS : 1);
  }

  /**
   * Stores the results of this try for the next one, if n8n may repeat the node.
   * @param outputs undefined for a try that throws an error
   */
  end(outputs?: INodeExecutionData[]): void {
    if (outputs && !isRepeatedByN8n(outputs)) return;
    this.run.hasThrown ||= outputs === undefined;
    this.runs.push(this.run);
    this.runs.splice(0, this.runs.length - this.maximum);
  }

  /**
   * Runs an item, unless it ended in an earlier try: it succeeded, or it failed after it had, or may have had, an effect.
   * If a part of an item failed, the item runs again for that part. Its results include the results of earlier tries.
   */
  async runItem(item: Item, run: () => Promise<Result[]>): Promise<Result[]> {
    const known = this.run.items.get(item.index);
    if (known?.isSettled) return known.results.map(explainWhyNotRepeated);
    const earlier = known?.results ?? [];
    const failures: unknown[] = [];
    const unclear = earlier.filter(isFailure).find(({ error }) => mayHaveChanged(error))?.error;
    const results = await run().catch((thrown: unknown): Result[] => {
      // An earlier try may have changed the record, although this try has sent nothing.
      const error = mayHaveChanged(thrown) ? thrown : (unclear ?? thrown);
      failures.push(error);
      return [{ error: addEffects(error, item) }];
    });
    const joined = joinTries(earlier, results);
    const failed = joined.filter(isFailure);
    const isSettled = failed.length === 0 || failed.some(({ error }) => mayHaveStarted(error, item));
    const isUnclear = failed.some(({ error }) => mayHaveChanged(error));
    if (isSettled || isUnclear || joined.length > 1 || joined.some((one) => readOldRecords(one).length > 0)) {
      this.run.items.set(item.index, { results: joined, isSettled });
    }
    const [thrown] = failures;
    if (thrown !== undefined && earlier.length === 0) throw asThrown(thrown);
    return joined;
  }
}

/**
 * Refuses an operation that would create or start something for several items in a repeated execution (mode `retry`).
 * The node gets all items of the failed run, also those that it had finished, and n8n does not show which.
 * @throws InputError before anything is sent
 */
export function ensureFirstExecution(context: IExecuteFunctions, { makes }: Operation, items: Items): void {
  if (!makes || context.getMode() !== 'retry') return;
  const unsafe = Array.from(items).filter((item) => !makes.isSafe?.(item));
  if (unsafe.length < 2) return;
  throw new InputError(
    `This execution repeats a failed execution, which may already have made some of the ${unsafe.length} ${makes.noun}`,
    `Nothing was sent. n8n hands this node all items again and does not show which ones it had finished. ${makes.remedy} Or check in the service which ${makes.noun} exist, and run the workflow anew with the other items.`,
  );
}
