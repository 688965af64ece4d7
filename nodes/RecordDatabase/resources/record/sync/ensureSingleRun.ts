import type { IExecuteFunctions } from 'n8n-workflow';
import { InputError } from '../../../../shared/model/input/inputError';

/** n8n's Loop Over Items. Nodes behind its output "done" run once. */
const LOOP_NODE = 'n8n-nodes-base.splitInBatches';

/** Whether a node is part of a loop: one of its ancestors is also one of its descendants. */
function isInLoop(context: IExecuteFunctions, name: string): boolean {
  const descendants = new Set(context.getChildNodes(name).map((child) => child.name));
  return context.getParentNodes(name).some((parent) => descendants.has(parent.name));
}

/** Whether the node runs again for each pass of a loop before it. */
function isBehindLoop(context: IExecuteFunctions, name: string, seen = new Set<string>()): boolean {
  if (seen.has(name)) return false;
  seen.add(name);
  return context.getParentNodes(name, { depth: 1 }).some((parent) => {
    if (parent.disabled || !isInLoop(context, parent.name)) return isBehindLoop(context, parent.name, seen);
    return parent.type !== LOOP_NODE;
  });
}

/** Returns why the node may run more than once in this execution, or undefined. */
function findRepetition(context: IExecuteFunctions): string | undefined {
  const { name } = context.getNode();
  if (Number(context.getWorkflowDataProxy(0).$runIndex) > 0) return 'it ran before in this execution';
  if (isInLoop(context, name) || isBehindLoop(context, name)) return 'it is in a loop';
  const parents = context.getParentNodes(name, { depth: 1 }).filter(({ disabled }) => !disabled);
  return parents.length > 1 ? 'several nodes are connected to its input' : undefined;
}

/**
 * Checks that the input has all items, before records without an item are deleted.
 * @throws InputError when the node runs more than once in an execution: each run has only a part of the items, and
 *   would delete the records of the other parts
 */
export function ensureSingleRun(context: IExecuteFunctions): void {
  const reason = findRepetition(context);
  if (reason === undefined) return;
  throw new InputError(
    `Delete Missing Records: the node may run more than once, because ${reason}`,
    'Nothing was sent. One run has only a part of the items, and would delete the records of the others. Collect all items first, for example with a Merge node or behind the output "done" of a loop.',
  );
}
