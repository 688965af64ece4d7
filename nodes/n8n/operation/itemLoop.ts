import { capitalize } from 'lodash';
import type { INodeExecutionData } from 'n8n-workflow';
import { InputError, asThrown, joinFirst } from '../../client/input/inputError';
import { KeyedQueue } from '../../client/memory/memory';
import { checkForm, iterateInTurns } from './checkForm';
import type { Item, Items } from './item';
import type { ItemOperation, Result, RunMode } from './operation';
import type { NodeError, ResultItems } from './resultItems';
import { type Tries, addEffects, runOperation } from './resume';

const ON_ERROR =
  'To write the other items although one fails, set On Error to Continue in the settings of the node.';

/** Names items by their numbers, from 0 as n8n counts them: `items 0 to 57 and 60`. */
function nameItems(indexes: number[]): string {
  const ranges: Array<[first: number, last: number]> = [];
  for (const index of indexes) {
    const range = ranges.at(-1);
    if (range && range[1] === index - 1) range[1] = index;
    else ranges.push([index, index]);
  }
  const texts = ranges.map(([first, last]) => (first === last ? String(first) : `${first} to ${last}`));
  const list = texts.length > 10 ? joinFirst(texts) : texts.join(', ').replace(/, ([^,]*)$/, ' and $1');
  return `${indexes.length === 1 ? 'item' : 'items'} ${list}`;
}

function addToDescription(error: NodeError, text: string): NodeError {
  error.description = `${error.description ?? ''} ${text}`.trim();
  return error;
}

/**
 * Runs an operation for each input item. All nodes use this loop. Items run in parallel. The results have the
 * order of the input, and each result is paired with its input item. With Continue On Fail, an item that fails
 * becomes an error item. Otherwise no item after a failed item starts; when the running items have ended, the
 * loop throws the first failure in input order.
 */
export class ItemLoop {
  private readonly results: INodeExecutionData[][];
  private readonly failures: Array<{ index: number; error: NodeError }> = [];
  /** The index of the first item that failed. Without Continue On Fail, no item after it starts. */
  private stopIndex = Infinity;
  private readonly queue = new KeyedQueue();
  private nextIndex = 0;
  private endedCount = 0;
  /** The items that a worker took but did not run, because an earlier item had failed. */
  private readonly skipped = new Set<number>();
  /** The indexes of the items that have ended without a failure. */
  private readonly done: number[] = [];

  constructor(
    private readonly operation: ItemOperation,
    private readonly items: Items,
    private readonly mode: RunMode,
    private readonly resultItems: ResultItems,
    private readonly tries?: Tries,
  ) {
    this.results = new Array<INodeExecutionData[]>(items.length);
  }

  async run(): Promise<INodeExecutionData[]> {
    // The credential says how many run at once. Its error is that of the item, which is opened again.
    if (this.items.length > 0) await this.items.open(0).catch(() => undefined);
    if (!this.mode.continuesOnFail && this.items.length > 1 && this.operation.writes) await this.checkAll();
    const workers = Math.min(this.items.shared.semaphore.capacity, this.items.length);
    await Promise.all(Array.from({ length: workers }, () => this.runWorker()));
    const [first] = this.failures.sort((a, b) => a.index - b.index);
    if (first) throw this.withProgress(first.error);
    return this.results.flat();
  }

  /**
   * Checks the values of all items before anything is written. Items are written in parallel, so a wrong value would
   * otherwise stop a run that has written items after it. @throws NodeError of the first item with a wrong value
   */
  private async checkAll(): Promise<void> {
    for await (const { index } of iterateInTurns(this.items)) {
      try {
        const item = await this.items.open(index);
        await runOperation(item.client, this.mode, async () => {
          checkForm(item, this.operation);
          this.operation.serialKey?.(item);
          await this.operation.check?.(item);
          return [];
        });
      } catch (thrown) {
        if (!(thrown instanceof InputError)) throw asThrown(await this.resultItems.toError(thrown, index));
        const error = await this.resultItems.toError(thrown, index);
        throw addToDescription(
          error,
          `All ${this.items.length} items are checked before the first is written, so none was. ${ON_ERROR}`,
        );
      }
    }
  }

  /**
   * Adds to the first failure what the run has done. Items run in parallel, so items after the failed one may have been
   * written. A user who runs all items again would write them twice.
   */
  private withProgress(error: NodeError): NodeError {
    const { length } = this.items;
    if (length === 1 || !this.operation.writes) return error;
    const [noun, verb] = this.operation.done ?? ['item', 'processed'];
    const done = this.done.sort((a, b) => a - b);
    const others = this.failures.slice(1).map(({ index }) => index);
    const was = done.length === 1 ? 'was' : 'were';
    const parts = [
      done.length === 0
        ? `None of the ${length} ${noun}s was ${verb}.`
        : `${done.length} of ${length} ${noun}s ${was} ${verb}: ${nameItems(done)}.`,
      others.length > 0 && `${capitalize(nameItems(others))} failed too.`,
      ON_ERROR,
    ];
    return addToDescription(error, parts.filter(Boolean).join(' '));
  }

  private async runWorker(): Promise<void> {
    while (this.nextIndex < Math.min(this.items.length, this.stopIndex)) {
      const index = this.nextIndex++;
      try {
        const found = await this.runInOrder(await this.items.open(index));
        this.results[index] = await this.resultItems.toItems(found, index);
        if (!this.skipped.has(index)) this.done.push(index);
      } catch (thrown) {
        // An item can fail before `runOne` is called: its credential, or a parameter that `serialKey` reads.
        this.stopAfter(index);
        if (this.mode.continuesOnFail)
          this.results[index] = await this.resultItems.createErrorItems(thrown, [index]);
        else this.failures.push({ index, error: await this.resultItems.toError(thrown, index) });
      }
      this.endedCount++;
      this.items.shared.notices.reportProgress(() => `${this.endedCount} of ${this.items.length} items done`);
    }
  }

  /** Runs the item after all earlier items with the same key have ended, whether they succeeded or failed. */
  private runInOrder(item: Item): Promise<Result[]> {
    const key = this.operation.serialKey?.(item);
    return key === undefined ? this.runOne(item) : this.queue.run(key, () => this.runOne(item));
  }

  /** Runs the item. A failure sets `stopIndex` immediately, so that the next item in the queue does not start. */
  private runOne(item: Item): Promise<Result[]> {
    if (item.index > this.stopIndex) {
      this.skipped.add(item.index);
      return Promise.resolve([]);
    }
    const run = async () => {
      checkForm(item, this.operation);
      return this.operation.run(item, this.mode);
    };
    const resume = () => this.tries?.runItem(item, run) ?? run();
    return runOperation(item.client, this.mode, resume).catch((error: unknown) => {
      this.stopAfter(item.index);
      throw asThrown(addEffects(error, item));
    });
  }

  private stopAfter(index: number): void {
    if (!this.mode.continuesOnFail) this.stopIndex = Math.min(this.stopIndex, index);
  }
}
