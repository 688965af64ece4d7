import { capitalize, isEqual } from 'lodash';
import {
  type IDataObject,
  type IExecuteFunctions,
  type INodeExecutionData,
  type NodeApiError,
  type NodeOperationError,
  sleep,
} from 'n8n-workflow';
import { AbortedError, ApiError } from '../../client/errors/apiError';
import { InputError, asThrown, formatForError, joinFirst } from '../../client/input/inputError';
import { KeyedQueue } from '../../client/memory/memory';
import { type ParameterDefinition, getLabel } from '../parameters/parameter';
import type { Item, Items } from './item';
import {
  type AllItemsOperation,
  type ItemOperation,
  type Operation,
  type Result,
  type RunMode,
  isFailure,
} from './operation';
import { type Tries, addEffects, runOperation } from './resume';
import { explainForbidden, toNodeError } from './toNodeError';

/** Types whose values have few forms. Others are checked where they are read, because their rules depend on the table. */
const CHECKED_TYPES: string[] = ['boolean', 'number', 'options'];

/** A text or a list is checked only as an option: others may be required only where the form shows them. */
const CHECKED_OPTION_TYPES = [...CHECKED_TYPES, 'string', 'multiOptions'];

/** A parameter or an option of a form. */
interface FormEntry {
  definition: ParameterDefinition;
  isOption: boolean;
}

/** Lists the parameters and the options of an operation. */
function listFormEntries({ parameters = [] }: Operation): FormEntry[] {
  return parameters.flatMap((definition): FormEntry[] =>
    definition.type === 'collection'
      ? (definition.options as ParameterDefinition[]).map((option) => ({
          definition: option,
          isOption: true,
        }))
      : [{ definition, isOption: false }],
  );
}

const isChecked = ({ definition: { type }, isOption }: FormEntry): boolean =>
  (isOption ? CHECKED_OPTION_TYPES : CHECKED_TYPES).includes(type);

/** Returns the checked value; undefined for an option that was not added. @throws InputError */
const readFormEntry = (item: Item, { definition, isOption }: FormEntry): unknown =>
  isOption ? item.readOption(definition) : item.read(definition);

/**
 * Checks choices, numbers and switches of an operation's form, and the texts of its options, so that a wrong one is an
 * error before anything is sent, and not after the change that it should have modified. n8n has removed the options
 * that the form hides. @throws InputError
 */
function checkForm(item: Item, operation: Operation): void {
  for (const entry of listFormEntries(operation).filter(isChecked)) readFormEntry(item, entry);
}

/** Number of items between two pauses. */
const ITEMS_PER_TURN = 500;

/**
 * Iterates over the items, and pauses at intervals so that n8n can work meanwhile: renew the lock of its job, or cancel
 * the run. For work that does not wait for a response. @throws AbortedError after the run was cancelled
 */
export async function* iterateInTurns(items: Items): AsyncGenerator<Item> {
  for (const item of items) {
    if (item.index % ITEMS_PER_TURN === 0) await sleep(0);
    if (item.cancelSignal?.aborted) throw new AbortedError();
    yield item;
  }
}

/** Types with one value. An object may hold a time, which differs from item to item without a mistake. */
const COMPARED_TYPES: string[] = [
  'boolean',
  'number',
  'options',
  'string',
  'multiOptions',
  'resourceLocator',
];

const hasExpression = (item: Item, { definition: { name }, isOption }: FormEntry): boolean =>
  item.isExpression(isOption ? ['options', name] : name);

const nameItem = (error: unknown, { index }: Item): unknown =>
  error instanceof InputError ? error.explain({ message: `${error.message} (item ${index})` }) : error;

/** Reads a value of a later item. @throws InputError that names the item */
function readOfItem(item: Item, entry: FormEntry): unknown {
  try {
    return readFormEntry(item, entry);
  } catch (error) {
    throw asThrown(nameItem(error, item));
  }
}

/** @throws InputError when an item has another value than the first item, which applies to the whole run */
function ensureSameValue(item: Item, entry: FormEntry, first: unknown): void {
  const value = readOfItem(item, entry);
  if (isEqual(value, first)) return;
  throw new InputError(
    `${getLabel(entry.definition)}: item ${item.index} has ${formatForError(value)}, but the first item has ${formatForError(first)}`,
    'Nothing was sent. The operation runs once for all items, with one value. Give all items the same value, or use one node for each.',
  );
}

/**
 * Checks the form of an operation that runs once for all items. Only the value of an expression can differ between
 * items. If it is read for each item, it is checked for each. If it applies to the whole run, all items must have the
 * same value. @throws InputError
 * @throws AbortedError after the run was cancelled
 */
export async function checkFormOfAllItems(items: Items, operation: AllItemsOperation): Promise<void> {
  const first = items.get(0);
  checkForm(first, operation);
  const itemNames = operation.itemParameters?.map(({ name }) => name) ?? [];
  const entries = listFormEntries(operation).filter((entry) => hasExpression(first, entry));
  const ofItems = entries.filter((entry) => itemNames.includes(entry.definition.name) && isChecked(entry));
  const ofRun = entries
    .filter(({ definition: { name, type } }) => !itemNames.includes(name) && COMPARED_TYPES.includes(type))
    .map((entry) => ({ entry, value: readFormEntry(first, entry) }));
  if (ofItems.length + ofRun.length === 0) return;
  for await (const item of iterateInTurns(items)) {
    for (const entry of ofItems) readOfItem(item, entry);
    for (const { entry, value } of ofRun) ensureSameValue(item, entry, value);
  }
}

type NodeError = NodeApiError | NodeOperationError;

type Pairing = INodeExecutionData['pairedItem'];

/** Pairs with the input items. A result of no item has an empty list: n8n would pair an item without one by its position. */
const createPairing = (indexes: number[]): Pairing => {
  const pairs = indexes.map((item) => ({ item }));
  return pairs.length === 1 ? pairs[0] : pairs;
};

/**
 * Creates an error item with the message, the remedy and what the user needs after the failure: old records under
 * `details`, and under `_retryAt` the time at which the limit of the day ends. On the error output, these keys replace
 * those of the input item, so the remedy is left out when the input has a key `message`.
 */
function createErrorItem(
  { message, description }: NodeError,
  thrown: unknown,
  input: INodeExecutionData | undefined,
  pairedItem: Pairing,
): INodeExecutionData {
  const remedy = description && !(input && 'message' in input.json) ? { message: description } : {};
  const { details, retryAt } = thrown instanceof ApiError ? thrown : {};
  const values = { ...(retryAt && { _retryAt: retryAt }), ...(details && { details }) };
  return { json: { error: message, ...remedy, ...values } as IDataObject, pairedItem };
}

/**
 * Marks an error item for the error output. New releases of n8n send items there that have only the keys `error`,
 * `message` and `details`. An item with `_retryAt`, and in n8n up to 2.20 also one with `details`, needs the property
 * `error` of the item. Later n8n replaces the JSON of an item with that property, which is not enumerable, so that n8n's copy of the item lacks it.
 */
const markAsFailed = (item: INodeExecutionData, error: NodeError): INodeExecutionData =>
  'details' in item.json || '_retryAt' in item.json
    ? Object.defineProperty(item, 'error', { value: error })
    : item;

/** Converts the results of an operation to items of n8n that are paired with the input items. */
export class ResultItems {
  constructor(
    private readonly context: IExecuteFunctions,
    private readonly items: Items,
    private readonly inputs: INodeExecutionData[],
  ) {}

  async toError(thrown: unknown, index?: number): Promise<NodeError> {
    const client = this.items.findClient(index ?? 0);
    const explained = client ? await explainForbidden(client, thrown) : thrown;
    return toNodeError(this.context.getNode(), explained, index);
  }

  /** Creates one error item for each of the input items, or an unpaired one when the failure belongs to none. */
  async createErrorItems(thrown: unknown, indexes: number[]): Promise<INodeExecutionData[]> {
    const error = await this.toError(thrown, indexes[0]);
    if (indexes.length === 0) return [createErrorItem(error, thrown, undefined, [])];
    const hasErrorOutput = this.context.getNode().onError === 'continueErrorOutput';
    return indexes.map((index) => {
      const item = createErrorItem(error, thrown, this.inputs[index], { item: index });
      return hasErrorOutput ? markAsFailed(item, error) : item;
    });
  }

  /**
   * Converts results. `index` is the input item of a result that names none. An output is listed key by key
   * instead of spread, because a spread doubles the memory for 100,000 small records.
   */
  async toItems(results: Result[], index?: number): Promise<INodeExecutionData[]> {
    const defaultIndexes = index === undefined ? [] : [index];
    const defaultPairing = createPairing(defaultIndexes);
    const items: INodeExecutionData[] = [];
    for (const result of results) {
      const { itemIndexes } = result;
      if (isFailure(result)) {
        const failed = await this.createErrorItems(result.error, itemIndexes ?? defaultIndexes);
        for (const item of failed) items.push(item);
        continue;
      }
      const { json, binary } = result;
      const pairedItem = itemIndexes ? createPairing(itemIndexes) : defaultPairing;
      items.push(binary ? { json, binary, pairedItem } : { json, pairedItem });
    }
    return items;
  }
}

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
    return runOperation(item.client, this.mode, resume).catch(async (error: unknown) => {
      this.stopAfter(item.index);
      const explained = await (this.operation.explain?.(item, error) ?? error);
      throw asThrown(addEffects(explained, item));
    });
  }

  private stopAfter(index: number): void {
    if (!this.mode.continuesOnFail) this.stopIndex = Math.min(this.stopIndex, index);
  }
}
