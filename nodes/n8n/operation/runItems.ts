import { type IExecuteFunctions, type INodeExecutionData, NodeOperationError } from 'n8n-workflow';
import { asThrown } from '../../client/input/inputError';
import { answerSizeOption, isTool, returnSecretsOption, shortenAnswer } from '../agent/agent';
import { Items } from './item';
import { ItemLoop, ResultItems, checkFormOfAllItems } from './itemLoop';
import type { AllItemsOperation, Operation, Resource, RunMode } from './operation';
import { Tries, ensureFirstExecution, runOperation } from './resume';
import { toNodeError } from './toNodeError';

function findOperation(context: IExecuteFunctions, resources: Resource[]): Operation {
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

/** Runs an operation once for all input items. With Continue On Fail, a thrown error fails each of them. */
async function runForAllItems(
  operation: AllItemsOperation,
  items: Items,
  mode: RunMode,
  resultItems: ResultItems,
): Promise<INodeExecutionData[]> {
  if (items.length === 0) return [];
  try {
    await items.openAll();
    await checkFormOfAllItems(items, operation);
    const results = await runOperation(items.get(0).client, mode, () => operation.runAll(items, mode));
    return await resultItems.toItems(results);
  } catch (thrown) {
    if (!mode.continuesOnFail) throw await resultItems.toError(thrown);
    return resultItems.createErrorItems(
      thrown,
      Array.from(items, ({ index }) => index),
    );
  }
}

/** Runs the chosen operation, for each input item or once for all of them. Every node's `execute` calls it. */
export async function runItems(
  context: IExecuteFunctions,
  resources: Resource[],
): Promise<INodeExecutionData[][]> {
  const operation = findOperation(context, resources);
  try {
    const inputs = context.getInputData();
    const items = new Items(context, inputs);
    ensureFirstExecution(context, operation, items);
    const tries = Tries.open(context, operation, inputs);
    const mode = { continuesOnFail: context.continueOnFail(), tries };
    const resultItems = new ResultItems(context, items, inputs);
    const run =
      'runAll' in operation
        ? runForAllItems(operation, items, mode, resultItems)
        : new ItemLoop(operation, items, mode, resultItems, tries).run();
    const outputs = await run
      .finally(() => items.shared.notices.finish())
      .catch((error: unknown) => {
        tries?.fail();
        throw asThrown(error);
      });
    tries?.end(outputs);
    if (!isTool(context)) return [outputs];
    const item = items.get(0);
    const returnsSecrets = item.readOption(returnSecretsOption) === true;
    const { secretKeys, narrowing } = operation;
    return [
      shortenAnswer(outputs, {
        tokens: item.readOption(answerSizeOption),
        secretKeys: returnsSecrets ? undefined : secretKeys,
        narrowing,
      }),
    ];
  } catch (error) {
    throw toNodeError(context.getNode(), error);
  }
}
