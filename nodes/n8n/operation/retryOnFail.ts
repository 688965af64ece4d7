/**
 * With Retry On Fail, n8n runs the whole node again with all items: after an error, and after a try whose
 * first output item has a key `error`. n8n does not show which try it is. So the results of a failed try are
 * kept in memory, and the next try runs only the items without a result. The key in this memory is the cancel
 * signal of the execution, which is the same object for all tries.
 */
import { isEqual } from 'lodash';
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { asThrown, InputError, rewordError, mayHaveWritten, memory } from '../../service';
import { isToolNode } from '../parameters/parameter';
import {
  type Item,
  type Items,
  type LastWriterIndexes,
  attachItemEffects,
  getOldRecords,
  attachOldRecords,
  isRerunUnsafe,
} from './item';
import { type Operation, type Output, type Result, type RunMode, isFailure } from './operation';

/** The results of an item in earlier tries. */
interface ItemOutcome {
  results: Result[];
  /** Whether the next try returns these results and does not run the item again. */
  isSettled: boolean;
}

/** One run of a node over its input, with all its tries. */
interface NodeRun {
  /** n8n's run index. It is higher when a loop runs the node again. */
  index: number;
  hasThrown: boolean;
  inputs: INodeExecutionData[];
  /** Outcomes by the index of the input item. */
  items: Map<number, ItemOutcome>;
  lastWriters: LastWriterIndexes;
  /** The results of all tries so far, for an operation that runs once for all items. */
  earlier: Result[];
}

/** Returns the failed runs of an execution, by the name of the node. */
const getFailedRuns = memory.attach<object, Map<string, NodeRun[]>>(
  'failedRuns',
  { to: 'execution', holds: 'what ended in a failed try of a node with Retry On Fail' },
  () => new Map(),
);

/** How many failed runs a tool keeps. Other nodes keep only the last run: their runs are not parallel. */
const MAX_KEPT_TOOL_RUNS = 100;

/** Whether n8n repeats the try. n8n 1 does so even for `error: null` and `error: false` (n8n-core 1.122). */
const isRepeatedByN8n = ([first]: INodeExecutionData[]): boolean => first?.json.error !== undefined;

const isOutput = (result: Result): result is Output => !isFailure(result);

const explainWhyNotRepeated = (result: Result): Result =>
  isFailure(result)
    ? {
        ...result,
        error: rewordError(result.error, ({ description }) => ({
          description: `${description} Retry On Fail did not run this item again.`,
        })),
      }
    : result;

/** Lists the records that results have changed, as items. In a failure, they are the old records of the error. */
export const listChanges = (results: Result[]): IDataObject[] =>
  results.flatMap((result) => (isFailure(result) ? getOldRecords(result.error) : [result.json]));

/**
 * Joins the results of earlier tries and of this try. The service does not keep old values of records, so the
 * old values in earlier errors are moved to the error of this try. Without an error, they become outputs.
 */
export function joinTryResults(earlier: Result[], now: Result[]): Result[] {
  const outputs = earlier.filter(isOutput);
  const shown = new Set(outputs.map(({ json }) => json.id));
  const lost = listChanges(earlier.filter(isFailure)).filter(({ id }) => !shown.has(id));
  const failure = now.find(isFailure);
  if (lost.length === 0) return [...outputs, ...now];
  if (!failure) {
    const lostIds = new Set(lost.map(({ id }) => id));
    const left = now.filter((result) => isFailure(result) || !lostIds.has(result.json.id));
    return [...outputs, ...lost.map((json) => ({ json })), ...left];
  }
  const error = attachOldRecords(failure.error, listChanges(earlier.filter(isFailure)));
  return [...outputs, ...now.map((result) => (result === failure ? { ...failure, error } : result))];
}

/** Runs an operation that runs once for all items, unless an earlier try ended with a final failure. */
export async function runNextTry(
  { tries }: RunMode,
  run: (earlier: Result[]) => Promise<Result[]>,
): Promise<Result[]> {
  const earlier = tries?.earlier ?? [];
  if (earlier.some((result) => isFailure(result) && result.isFinal === true))
    return earlier.map(explainWhyNotRepeated);
  const now = await run(earlier).catch((error: unknown) => {
    // Even if this try failed before it changed a record, earlier tries may have changed some.
    throw asThrown(attachOldRecords(error, listChanges(earlier)));
  });
  const results = joinTryResults(earlier, now);
  if (tries) tries.earlier = results;
  return results;
}

/** The tries of a node with Retry On Fail that changes something. */
export class Tries {
  private constructor(
    private readonly runs: NodeRun[],
    readonly run: NodeRun,
    private readonly maximum: number,
  ) {}

  /** @returns undefined if the node has no Retry On Fail, or if the operation only reads */
  static startTry(
    context: IExecuteFunctions,
    operation: Operation,
    inputs: INodeExecutionData[],
  ): Tries | undefined {
    const node = context.getNode();
    const { retryOnFail, name } = node;
    // A tool of n8n's MCP Server Trigger has no signal. Its arguments are used instead: one object for all tries.
    const owner = context.getExecutionCancelSignal?.() ?? inputs[0]?.json;
    if (retryOnFail !== true || operation.writes !== true || !owner) return undefined;
    const byNode = getFailedRuns(owner);
    const runs = byNode.get(name) ?? [];
    byNode.set(name, runs);
    const isTool = isToolNode(node);
    const index = Number(context.getWorkflowDataProxy(0).$runIndex);
    // Each try of an agent's tool has another run index. So a call with the arguments of a failed call counts as
    // the next try of the failed call, even if the model meant a new call.
    const isSameRun = (run: NodeRun) =>
      (run.index === index || (isTool && run.hasThrown)) && isEqual(run.inputs, inputs);
    const found = runs.findIndex(isSameRun);
    const [run] = found < 0 ? [] : runs.splice(found, 1);
    const fresh = { index, hasThrown: false, inputs, items: new Map(), lastWriters: new Map(), earlier: [] };
    return new Tries(runs, run ?? fresh, isTool ? MAX_KEPT_TOOL_RUNS : 1);
  }

  /** `outputs` is undefined for a try that throws an error. */
  endTry(outputs?: INodeExecutionData[]): void {
    if (outputs && !isRepeatedByN8n(outputs)) return;
    this.run.hasThrown ||= outputs === undefined;
    this.runs.push(this.run);
    this.runs.splice(0, this.runs.length - this.maximum);
  }

  /**
   * Runs an item, unless it succeeded in an earlier try, or failed there and may have started something. If
   * only a part of an item failed, the item runs again. Returns the results of all tries.
   */
  async runItem(item: Item, run: () => Promise<Result[]>): Promise<Result[]> {
    const known = this.run.items.get(item.index);
    if (known?.isSettled) return known.results.map(explainWhyNotRepeated);
    item.lastWriters = this.run.lastWriters;
    const earlier = known?.results ?? [];
    const failures: unknown[] = [];
    const unclear = earlier.filter(isFailure).find(({ error }) => mayHaveWritten(error))?.error;
    const results = await run().catch((thrown: unknown): Result[] => {
      // If only an earlier try may have changed the record, the error of the earlier try is kept.
      const error = mayHaveWritten(thrown) ? thrown : (unclear ?? thrown);
      failures.push(error);
      return [{ error: attachItemEffects(error, item) }];
    });
    const joined = joinTryResults(earlier, results);
    const failed = joined.filter(isFailure);
    const isSettled = failed.length === 0 || failed.some(({ error }) => isRerunUnsafe(error, item));
    const isUnclear = failed.some(({ error }) => mayHaveWritten(error));
    if (isSettled || isUnclear || joined.length > 1 || listChanges(failed).length > 0) {
      this.run.items.set(item.index, { results: joined, isSettled });
    }
    const [thrown] = failures;
    if (thrown !== undefined && earlier.length === 0) throw asThrown(thrown);
    return joined;
  }
}

/**
 * In a repeated execution (mode `retry`), the node gets all items again, and n8n does not show which items the
 * node finished in the first execution.
 * @throws InputError before anything is sent, if several items would create or start something
 */
export function ensureSafeRepetition(context: IExecuteFunctions, { makes }: Operation, items: Items): void {
  if (!makes || context.getMode() !== 'retry') return;
  const unsafe = Array.from(items).filter((item) => !makes.isSafe?.(item));
  if (unsafe.length < 2) return;
  throw new InputError(
    `This execution repeats a failed execution, which may already have made some of the ${unsafe.length} ${makes.noun}`,
    `Nothing was sent. n8n hands this node all items again and does not show which ones it had finished. ${makes.remedy} Or check in the service which ${makes.noun} exist, and run the workflow anew with the other items.`,
  );
}
