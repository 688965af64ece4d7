/** Runs the operation of a node, and converts its results to items of n8n. */
import { capitalize, cloneDeep, compact, flatten, map, partition, range, without } from 'lodash';
import {
  type IDataObject,
  type IExecuteFunctions,
  type INodeExecutionData,
  type IPairedItemData,
  type NodeApiError,
  type NodeOperationError,
  sleep,
} from 'n8n-workflow';
import { ensureWrittenFieldsExist, retryWithFreshFields } from '../../records';
import {
  explainForbidden,
  ApiError,
  asThrown,
  ClientError,
  InputError,
  joinFirstTexts,
  KeyedQueue,
  rewordError,
  mayHaveWritten,
  runSteps,
  type StepControl,
  tryOr,
} from '../../service';
import { answerSizeOption, returnSecretsOption, shortenAnswer } from '../agent/agent';
import { checkForm, ensureEqualFormValues } from './checkForm';
import { type Item, Items, attachItemEffects, iterateWithPauses, attachOldRecords } from './item';
import {
  type AllItemsOperation,
  type ItemOperation,
  type Operation,
  type Resource,
  type Result,
  type RunMode,
  isFailure,
} from './operation';
import { Tries, ensureSafeRepetition, listChanges } from './retryOnFail';
import { toNodeError } from './toNodeError';

type NodeError = NodeApiError | NodeOperationError;

type PairedItem = INodeExecutionData['pairedItem'];

/**
 * Returns an empty list for no indexes: if `pairedItem` were missing, n8n would pair the item with the input
 * item at the same position.
 */
const createPairing = (indexes: number[]): PairedItem => {
  const pairs = indexes.map((item) => ({ item }));
  return pairs.length === 1 ? pairs[0] : pairs;
};

/**
 * The keys of an error item are `error` (the message), `message` (the remedy), `details` (old records) and
 * `_retryAt` (when the limit of the day ends). On the error output, n8n adds these keys to the input item. If
 * the input item has a `message`, the remedy is left out.
 */
function createErrorItem(
  { message, description }: NodeError,
  thrown: unknown,
  input: INodeExecutionData | undefined,
  pairedItem: PairedItem,
): INodeExecutionData {
  const remedy = description && !(input && 'message' in input.json) ? { message: description } : {};
  const { details } = thrown instanceof ClientError ? thrown : {};
  const { retryAt } = thrown instanceof ApiError ? thrown : {};
  // Several items may share one error. Each gets a copy, because a later node may change it.
  const values = { ...(retryAt && { _retryAt: retryAt }), ...(details && { details: cloneDeep(details) }) };
  return { json: { error: message, ...remedy, ...values } as IDataObject, pairedItem };
}

/**
 * n8n sends an item to the error output if its JSON has only the keys `error`, `message` and `details` (up to
 * 2.20 without `details`), or if the item has a property `error` beside `json`. An item with more keys gets
 * this property. It is not enumerable: when n8n copies the item, an enumerable `error` would replace the JSON.
 */
const routeToErrorOutput = (item: INodeExecutionData, error: NodeError): INodeExecutionData =>
  'details' in item.json || '_retryAt' in item.json
    ? Object.defineProperty(item, 'error', { value: error })
    : item;

/** Converts an error for n8n. The error for a 403 also names the permission that the API key lacks. */
async function toExplainedError(items: Items, thrown: unknown, index = 0): Promise<NodeError> {
  // `client` throws if the credential of the item was not read or has an error.
  const client = tryOr(() => items.get(index).client, undefined);
  return toNodeError(items.node, client ? await explainForbidden(client, thrown) : thrown);
}

/** Begins the message with the item: "Item 2 of 3: …". */
async function toNumberedError(items: Items, thrown: unknown, index: number): Promise<NodeError> {
  const error = await toExplainedError(items, thrown, index);
  error.message = formatItemPrefix([index], items.length) + error.message;
  return error;
}

/** Creates an error item for each index. Without indexes, creates one that belongs to no input item. */
export async function createErrorItems(
  items: Items,
  thrown: unknown,
  indexes: number[],
): Promise<INodeExecutionData[]> {
  const error = await toExplainedError(items, thrown, indexes[0]);
  if (indexes.length === 0) return [createErrorItem(error, thrown, undefined, [])];
  const hasErrorOutput = items.node.onError === 'continueErrorOutput';
  return indexes.map((index) => {
    const input = hasErrorOutput ? items.get(index).input : undefined;
    const item = createErrorItem(error, thrown, input, { item: index });
    return hasErrorOutput ? routeToErrorOutput(item, error) : item;
  });
}

/**
 * Applies an error that belongs to no single item. With Continue On Fail, each output becomes an error item
 * that keeps the old values of its own record only: with all records in each, the memory would grow with the
 * square of the items.
 */
async function replaceOutputsByError(
  items: Items,
  done: INodeExecutionData[],
  thrown: unknown,
  { continuesOnFail }: RunMode,
): Promise<INodeExecutionData[]> {
  if (!continuesOnFail) throw await toExplainedError(items, attachOldRecords(thrown, map(done, 'json')));
  const failures = done.map(({ json, pairedItem }) => ({
    error: attachOldRecords(thrown, [json]),
    itemIndexes: map([pairedItem].flat() as IPairedItemData[], 'item'),
  }));
  return toPairedItems(items, failures);
}

/** @param index the input item of results without `itemIndexes` */
async function toPairedItems(items: Items, results: Result[], index?: number): Promise<INodeExecutionData[]> {
  const defaultIndexes = index === undefined ? [] : [index];
  const defaultPairing = createPairing(defaultIndexes);
  const outputs: INodeExecutionData[] = [];
  for (const result of results) {
    const { itemIndexes } = result;
    if (isFailure(result)) {
      const failed = await createErrorItems(items, result.error, itemIndexes ?? defaultIndexes);
      for (const item of failed) outputs.push(item);
      continue;
    }
    const { json, binary } = result;
    const pairedItem = itemIndexes ? createPairing(itemIndexes) : defaultPairing;
    // The spread `{ ...result, pairedItem }` would double the memory for 100,000 small records.
    outputs.push(binary ? { json, binary, pairedItem } : { json, pairedItem });
  }
  return outputs;
}

const CONTINUE_ON_FAIL_REMEDY =
  'To write the other items although one fails, set On Error to Continue in the settings of the node.';

/** Formats the numbers of items, from 1: `items 1 to 58 and 61`. */
function formatItemNumbers(indexes: number[]): string {
  const ranges: Array<[first: number, last: number]> = [];
  for (const index of indexes) {
    const range = ranges.at(-1);
    if (range && range[1] === index - 1) range[1] = index;
    else ranges.push([index, index]);
  }
  const texts = ranges.map(([first, last]) =>
    first === last ? String(first + 1) : `${first + 1} to ${last + 1}`,
  );
  const list = texts.length > 10 ? joinFirstTexts(texts) : texts.join(', ').replace(/, ([^,]*)$/, ' and $1');
  return `${indexes.length === 1 ? 'item' : 'items'} ${list}`;
}

/** Returns "Item 2 of 3: ", or '' for all items or none. */
const formatItemPrefix = (indexes: number[], length: number): string =>
  indexes.length > 0 && indexes.length < length
    ? `${capitalize(formatItemNumbers(indexes))} of ${length}: `
    : '';

/** Begins the message of an error with the numbers of its items, for runs that handle all items together. */
export const addItemNumbers = (error: unknown, indexes: number[], length: number): unknown =>
  rewordError(error, ({ message }) => ({ message: formatItemPrefix(indexes, length) + message }));

/** Adds a text, and removes "Nothing was sent.", which is true only of the failed item. */
function addToDescription(error: NodeError, text: string): NodeError {
  error.description = `${error.description ?? ''} ${text}`.replace(/ ?Nothing was sent\./, '').trim();
  return error;
}

/** Without Continue On Fail, throws the first failure, with its items and the old values of all changed records. */
function throwFirstFailure(results: Result[], { continuesOnFail }: RunMode, length: number): void {
  const failure = continuesOnFail ? undefined : results.find(isFailure);
  if (!failure) return;
  throw asThrown(
    attachOldRecords(addItemNumbers(failure.error, failure.itemIndexes ?? [], length), listChanges(results)),
  );
}

/**
 * Runs an operation for each item. The outputs have the order of the input. With Continue On Fail, a failed
 * item becomes an error item. Otherwise no item starts after a failure, and the loop throws the first failure
 * in input order when the running items have ended.
 */
class ItemLoop {
  private readonly queue = new KeyedQueue();

  constructor(
    private readonly operation: ItemOperation,
    private readonly items: Items,
    private readonly mode: RunMode,
    private readonly tries?: Tries,
  ) {}

  async run(): Promise<INodeExecutionData[]> {
    const { length, clientGroup } = this.items;
    const { continuesOnFail } = this.mode;
    // The credential of the first item sets `capacity`. If reading it fails, `runInQueue` throws that error.
    if (length > 0) await this.items.getWithClient(0).catch(() => undefined);
    const earlier = this.tries?.run.items;
    // If an earlier try has written items, it checked all items first.
    if (!continuesOnFail && length > 1 && this.operation.writes && !earlier?.size) await this.checkAllItems();
    const steps = await runSteps(
      range(length),
      {
        concurrency: clientGroup.semaphore.capacity,
        continuesOnFail,
        onEnd: (count) => clientGroup.notices.reportProgress(() => `${count} of ${length} items done`),
      },
      (index, control) => this.runInQueue(index, control),
    );
    const first = steps.find(({ error }) => error !== undefined);
    // `flatMap` in place of `flatten` takes six times as long for 50,000 items.
    if (!first) return flatten(steps.map(({ value = [] }) => value));
    // An item that this try did not start may have results of an earlier try.
    const outcomes = steps.map(
      ({ step, value, error }): Result[] | undefined =>
        value ?? earlier?.get(step)?.results ?? (error === undefined ? undefined : [{ error }]),
    );
    const failure = attachOldRecords(first.error, listChanges(compact(outcomes).flat()));
    const error = await toNumberedError(this.items, failure, first.step);
    throw this.addItemCounts(error, outcomes, first.step);
  }

  /**
   * Checks all items, so that a wrong value stops the run before an item is written.
   * @throws NodeError of the first item with a wrong value
   */
  private async checkAllItems(): Promise<void> {
    for await (const { index } of iterateWithPauses(this.items)) {
      try {
        const item = await this.items.getWithClient(index);
        await retryWithFreshFields(item.client, async () => {
          this.operation.serialKey?.(item);
          await this.operation.check?.(item);
        });
      } catch (thrown) {
        const error = await toNumberedError(this.items, thrown, index);
        if (!(thrown instanceof InputError)) throw error;
        throw addToDescription(
          error,
          `All items are checked before the first one is written, so no item was written. ${CONTINUE_ON_FAIL_REMEDY}`,
        );
      }
    }
  }

  /**
   * Adds to the error which items were written, and which may have been written: a second run would write them
   * again. Items run in parallel, so an item after the failed item may be written too.
   */
  private addItemCounts(error: NodeError, outcomes: Array<Result[] | undefined>, first: number): NodeError {
    const { length } = this.items;
    if (length === 1 || !this.operation.writes) return error;
    const ended = range(length).filter((index) => outcomes[index]);
    const [failed, done] = partition(ended, (index) => outcomes[index]?.some(isFailure));
    const others = without(failed, first);
    const isUnclear = (one: Result) => isFailure(one) && mayHaveWritten(one.error);
    const unclear = failed.filter((index) => outcomes[index]?.some(isUnclear));
    const formatVerb = ({ length: count }: number[]) => `${count === 1 ? 'was' : 'were'} processed`;
    const parts = [
      done.length > 0 && `${done.length} of ${length} items ${formatVerb(done)}: ${formatItemNumbers(done)}.`,
      unclear.length > 0 && `It is not known whether ${formatItemNumbers(unclear)} ${formatVerb(unclear)}.`,
      done.length + unclear.length === 0 && `None of the ${length} items was processed.`,
      others.length > 0 && `${capitalize(formatItemNumbers(others))} failed too.`,
      // Continue On Fail would have started the other items too.
      ended.length < length && CONTINUE_ON_FAIL_REMEDY,
    ];
    return addToDescription(error, parts.filter(Boolean).join(' '));
  }

  /** Runs an item after earlier items with the same `serialKey`. @returns undefined if another item failed first */
  private async runInQueue(index: number, control: StepControl): Promise<INodeExecutionData[] | undefined> {
    try {
      // Without this pause, items whose responses arrive together wait until the last response is processed.
      if (index > 0) await sleep(0);
      const item = await this.items.getWithClient(index);
      const key = this.operation.serialKey?.(item);
      const run = () => this.runItem(item, control);
      const results = await (key === undefined ? run() : this.queue.runTask(key, run));
      return results && (await toPairedItems(this.items, results, index));
    } catch (thrown) {
      if (this.mode.continuesOnFail) return createErrorItems(this.items, thrown, [index]);
      throw asThrown(thrown);
    }
  }

  /** Calls `stop` before `explain`, so that no other item starts while the error is explained. */
  private async runItem(item: Item, { isStopped, stop }: StepControl): Promise<Result[] | undefined> {
    if (isStopped()) return undefined;
    const run = async () => {
      if (this.operation.writes) checkForm(item, this.operation);
      return this.operation.run(item, this.mode);
    };
    const runOrReuse = () => this.tries?.runItem(item, run) ?? run();
    return retryWithFreshFields(item.client, runOrReuse)
      .then((results) => {
        throwFirstFailure(results, this.mode, this.items.length);
        return results;
      })
      .catch(async (error: unknown) => {
        stop();
        const explained = await (this.operation.explain?.(item, error) ?? error);
        throw asThrown(attachItemEffects(explained, item));
      })
      .finally(() => item.releaseMemory());
  }
}

/** With Continue On Fail, an error of the whole run becomes one error item for each input item. */
async function runForAllItems(
  operation: AllItemsOperation,
  items: Items,
  mode: RunMode,
): Promise<INodeExecutionData[]> {
  if (items.length === 0) return [];
  try {
    await items.ensureOneClient();
    checkForm(items.get(0), operation);
    await ensureEqualFormValues(items, operation);
    const results = await retryWithFreshFields(items.get(0).client, () => operation.runAll(items, mode));
    throwFirstFailure(results, mode, items.length);
    return await toPairedItems(items, results);
  } catch (thrown) {
    if (!mode.continuesOnFail) throw await toExplainedError(items, thrown);
    return createErrorItems(items, thrown, range(items.length));
  }
}

function findOperation(context: IExecuteFunctions, resources: Resource[]): Operation {
  const resourceName = context.getNodeParameter('resource', 0);
  const operationName = context.getNodeParameter('operation', 0);
  const resource = resources.find(({ name }) => name === resourceName);
  const operation = resource?.operations.find(({ name }) => name === operationName);
  if (operation) return operation;
  throw new InputError(
    `There is no operation "${operationName}" on "${resourceName}"`,
    'Choose the resource and the operation from the lists.',
  );
}

export async function runItems(
  context: IExecuteFunctions,
  resources: Resource[],
): Promise<INodeExecutionData[][]> {
  try {
    const operation = findOperation(context, resources);
    const inputs = context.getInputData();
    const items = new Items(context, inputs);
    ensureSafeRepetition(context, operation, items);
    const tries = Tries.startTry(context, operation, inputs);
    const mode = { continuesOnFail: context.continueOnFail(), tries: tries?.run };
    const run =
      'runAll' in operation
        ? runForAllItems(operation, items, mode)
        : new ItemLoop(operation, items, mode, tries).run();
    const outputs = await run
      .then((done) =>
        ensureWrittenFieldsExist(items.clientGroup.execution).then(
          () => done,
          (error: unknown) => replaceOutputsByError(items, done, error, mode),
        ),
      )
      .finally(() => items.clientGroup.notices.showUsageHints())
      .catch((error: unknown) => {
        tries?.endTry();
        throw asThrown(error);
      });
    tries?.endTry(outputs);
    const item = items.get(0);
    if (!item.isTool) return [outputs];
    const returnsSecrets = item.readOption(returnSecretsOption) === true;
    const { shownKeys, cutAdvice } = operation;
    return [
      shortenAnswer(outputs, {
        tokens: item.readOption(answerSizeOption),
        shownKeys: returnsSecrets ? undefined : shownKeys,
        cutAdvice,
      }),
    ];
  } catch (error) {
    throw toNodeError(context.getNode(), error);
  }
}
