import { Container } from '@n8n/di';
import * as core from 'n8n-core';
import type { INode, Workflow } from 'n8n-workflow';

/** Runs one poll. When a workflow is activated (`isFirst`), an error rejects; later it becomes a failed execution. */
type Poll = (isFirst?: boolean) => Promise<void>;

/** What n8n up to 2.20 does in a function that it does not export. */
function createEarlierPoll(workflow: Workflow, node: INode, context: core.PollContext): Poll {
  const { poll } = workflow.nodeTypes.getByNameAndVersion(node.type, node.typeVersion);
  const emitItems = async () => {
    const items = await poll!.call(context);
    if (items !== null) context.__emit(items);
  };
  return (isFirst = false) =>
    isFirst ? emitItems() : emitItems().catch((error: Error) => context.__emitError(error));
}

/** Creates the function that n8n's scheduler calls for a polling node. `isActive` tells whether its workflow is still published. */
export function createPoll(
  workflow: Workflow,
  node: INode,
  context: core.PollContext,
  isActive: () => boolean,
): Poll {
  if (!('PollTriggerExecutor' in core)) return createEarlierPoll(workflow, node, context);
  return Container.get(core.PollTriggerExecutor).create(workflow, node, context, isActive);
}
