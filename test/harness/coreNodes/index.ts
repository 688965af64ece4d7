import type { INodeType } from 'n8n-workflow';
import { filter, ifNode } from './conditions';
import { convertToFile } from './files';
import { manualTrigger, merge, noOp, scheduleTrigger, stickyNote } from './flow';
import { aggregate, limit, splitOut } from './lists';
import { set } from './set';

/**
 * n8n's own nodes come in a package of half a gigabyte. Workflows under test need few of them, and of
 * those only the common part: same type names and parameters, an honest subset of the behaviour.
 */
export const coreNodes: Record<string, INodeType> = {
  aggregate,
  convertToFile,
  filter,
  if: ifNode,
  limit,
  manualTrigger,
  merge,
  noOp,
  scheduleTrigger,
  set,
  splitOut,
  stickyNote,
};
