import '../environment';
import type { Workflow } from 'n8n-workflow';
import type { RunOptions } from '../engine';
import type { Runtime } from '../runtime';
import type { StoredWorkflow } from '../workflows';
import { toWorkflow } from '../workflows';
import type { ExecutionPlan } from './execute';

/** Builds the plan of a manual run. */
export function planManualRun(
  { nodeTypes }: Runtime,
  stored: StoredWorkflow,
  { input, mode = 'manual', ...options }: RunOptions,
): ExecutionPlan {
  const workflow = toWorkflow(stored, nodeTypes);
  const startNode = options.startNode ?? findStartNode(workflow);
  const pinData = mode === 'manual' ? { ...stored.pinData } : {};
  const plan = { ...options, workflow: stored, mode, startNode, pinData };
  // A trigger has no input, so its output is pinned.
  if (input && nodeTypes.isTrigger(workflow, startNode)) pinData[startNode] = input;
  return { ...plan, startData: [input ?? [{ json: {} }]] };
}

function findStartNode(workflow: Workflow): string {
  const roots = Object.values(workflow.nodes).filter(
    ({ name, type, disabled }) =>
      !disabled && type !== 'n8n-nodes-base.stickyNote' && workflow.getParentNodes(name).length === 0,
  );
  const isTrigger = ({ type, typeVersion }: (typeof roots)[number]) =>
    workflow.nodeTypes.getByNameAndVersion(type, typeVersion).description.inputs.length === 0;
  const start = roots.find(isTrigger) ?? roots[0];
  if (!start) throw new Error('The workflow has no node to start from; pass `startNode`');
  return start.name;
}
