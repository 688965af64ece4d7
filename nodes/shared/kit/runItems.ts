import { NodeOperationError, type IExecuteFunctions, type INodeExecutionData } from 'n8n-workflow';
import { Client } from '../transport/client';
import { toNodeError } from '../transport/errors';
import { Item } from './item';
import type { Operation, Resource } from './operation';

/** Items that are worked on at once; the budget decides how fast they go out. */
const PARALLEL_ITEMS = 8;

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

/** Error items carry what happened and what to do; n8n routes them to the error output by their keys. */
function errorItem(error: NodeOperationError | Error, index: number): INodeExecutionData {
  const description = (error as { description?: string | null }).description;
  return {
    json: { error: error.message, ...(description && { details: description }) },
    error: error as NodeOperationError,
    pairedItem: { item: index },
  };
}

/**
 * The only item loop. Items run side by side, results come out in input order, each paired with its input.
 * With Continue On Fail an item that fails becomes an error item; otherwise the first failure in input
 * order is thrown once the items before it are done, and nothing after it is started any more.
 */
export async function runItems(
  context: IExecuteFunctions,
  resources: Resource[],
): Promise<INodeExecutionData[][]> {
  const operation = operationOf(context, resources);
  const inputs = context.getInputData();
  const results: INodeExecutionData[][] = new Array(inputs.length);
  const queues = new Map<string, Promise<unknown>>();
  const node = context.getNode();
  const failures: Array<{ index: number; error: Error }> = [];
  let next = 0;

  const runOne = async (index: number, client: Client) => {
    const item = new Item(context, client, index, inputs[index]!);
    const found = await operation.run(item);
    results[index] = found.map((output) => ({ ...output, pairedItem: { item: index } }));
  };

  /** Behind every earlier item of the same key, whether that one failed or not. */
  const inTurn = (index: number, client: Client): Promise<void> => {
    const key = operation.serialKey?.(new Item(context, client, index, inputs[index]!));
    if (key === undefined) return runOne(index, client);
    const turn = (queues.get(key) ?? Promise.resolve())
      .catch(() => undefined)
      .then(() => runOne(index, client));
    queues.set(key, turn);
    return turn;
  };

  const worker = async (client: Client) => {
    while (next < inputs.length && failures.length === 0) {
      const index = next++;
      try {
        await inTurn(index, client);
      } catch (thrown) {
        const error = toNodeError(node, thrown, index);
        if (context.continueOnFail()) results[index] = [errorItem(error, index)];
        else failures.push({ index, error });
      }
    }
  };

  try {
    const client = await Client.for(context);
    await Promise.all(Array.from({ length: Math.min(PARALLEL_ITEMS, inputs.length) }, () => worker(client)));
  } catch (error) {
    throw toNodeError(node, error);
  }
  const [first] = failures.sort((a, b) => a.index - b.index);
  if (first) throw first.error;
  return [results.flat()];
}
