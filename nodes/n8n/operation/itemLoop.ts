import type { INodeExecutionData } from 'n8n-workflow';
import { KeyedQueue } from '../../client/concurrency/queue';
import { asThrown } from '../../client/input/inputError';
import { checkForm } from './checkForm';
import type { Item, Items } from './item';
import type { ItemOperation, Result, RunMode } from './operation';
import type { NodeError, ResultItems } from './resultItems';
import { type Tries, addEffects } from './resume';
import { runOperation } from './runSteps';

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
  private doneCount = 0;
  /** The number of items that a worker took but did not run, because an earlier item had failed. */
  private skippedCount = 0;

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
    const workers = Math.min(this.items.shared.semaphore.capacity, this.items.length);
    await Promise.all(Array.from({ length: workers }, () => this.runWorker()));
    const [first] = this.failures.sort((a, b) => a.index - b.index);
    if (first) throw this.withProgress(first.index, first.error);
    return this.results.flat();
  }

  /**
   * Adds to the first failure in input order how many later items were processed. Some of them ran in parallel
   * and may have changed data.
   */
  private withProgress(index: number, error: NodeError): NodeError {
    const laterCount = this.items.length - index - 1;
    if (laterCount === 0) return error;
    const processed = this.results.slice(index + 1).filter(Boolean).length - this.skippedCount;
    const failed = this.failures.length - 1;
    const parts = [
      `${processed} were processed`,
      failed > 0 && `${failed} failed too`,
      `${laterCount - processed - failed} were not processed`,
    ];
    error.description =
      `${error.description ?? ''} Of the ${laterCount} items after this one, ${parts.filter(Boolean).join(', ')}.`.trim();
    return error;
  }

  private async runWorker(): Promise<void> {
    while (this.nextIndex < Math.min(this.items.length, this.stopIndex)) {
      const index = this.nextIndex++;
      try {
        const found = await this.runInOrder(await this.items.open(index));
        this.results[index] = await this.resultItems.toItems(found, index);
      } catch (thrown) {
        // An item can fail before `runOne` is called: its credential, or a parameter that `serialKey` reads.
        this.stopAfter(index);
        if (this.mode.continuesOnFail)
          this.results[index] = await this.resultItems.createErrorItems(thrown, [index]);
        else this.failures.push({ index, error: await this.resultItems.toError(thrown, index) });
      }
      this.doneCount++;
      this.items.shared.notices.reportProgress(() => `${this.doneCount} of ${this.items.length} items done`);
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
      this.skippedCount++;
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
