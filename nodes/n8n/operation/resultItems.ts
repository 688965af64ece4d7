import type {
  IDataObject,
  IExecuteFunctions,
  INodeExecutionData,
  NodeApiError,
  NodeOperationError,
} from 'n8n-workflow';
import { ApiError } from '../../client/errors/apiError';
import type { Items } from './item';
import { type Result, isFailure } from './operation';
import { explainForbidden, toNodeError } from './toNodeError';

export type NodeError = NodeApiError | NodeOperationError;

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
