import '../environment';
import type { INode } from 'n8n-workflow';
import { mapConnectionsByDestination } from 'n8n-workflow';
import type { RunOptions } from '../engine';
import type { HarnessNodeTypes } from '../nodeTypes';
import type { Runtime } from '../runtime';
import type { StoredWorkflow } from '../workflows';
import type { ExecutionPlan } from './execute';

/** Builds the plan of a manual run. */
export function planManualRun(
  { nodeTypes }: Runtime,
  stored: StoredWorkflow,
  { input, mode = 'manual', ...options }: RunOptions,
): ExecutionPlan {
  const start = getStartNode(stored, nodeTypes, options.startNode);
  const pinData = mode === 'manual' ? { ...stored.pinData } : {};
  const plan = { ...options, workflow: stored, mode, startNode: start.name, pinData };
  // A trigger has no input, so its output is pinned.
  if (input && nodeTypes.isTrigger(start)) pinData[start.name] = input;
  return { ...plan, startData: [input ?? [{ json: {} }]] };
}

function getStartNode(
  { nodes, connections }: StoredWorkflow,
  nodeTypes: HarnessNodeTypes,
  wanted?: string,
): INode {
  const inputs = mapConnectionsByDestination(connections);
  const roots = nodes.filter(
    ({ name, type, disabled }) => !disabled && type !== 'n8n-nodes-base.stickyNote' && !(name in inputs),
  );
  const start =
    wanted === undefined
      ? (roots.find((node) => nodeTypes.isTrigger(node)) ?? roots[0])
      : nodes.find(({ name }) => name === wanted);
  if (!start) throw new Error('The workflow has no node to start from; pass `startNode`');
  return start;
}
