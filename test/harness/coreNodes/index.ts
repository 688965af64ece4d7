import type { INodeType } from 'n8n-workflow';
import { convertToFile, extractFromFile } from './files';
import { filter, ifNode } from './filter';
import {
  executeWorkflow,
  executeWorkflowTrigger,
  formTrigger,
  manualTrigger,
  noOp,
  scheduleTrigger,
  splitInBatches,
  stickyNote,
  wait,
} from './flow';
import { set } from './set';
import { splitOut } from './splitOut';
import { toolCaller } from './toolCaller';

/**
 * Stand-ins for n8n's own nodes, whose package has half a gigabyte: the type names and parameters of the
 * real ones, and the part of their behaviour that examples and tests need.
 */
export const coreNodes: Record<string, INodeType> = {
  convertToFile,
  executeWorkflow,
  executeWorkflowTrigger,
  extractFromFile,
  filter,
  formTrigger,
  if: ifNode,
  manualTrigger,
  noOp,
  scheduleTrigger,
  set,
  splitInBatches,
  splitOut,
  stickyNote,
  toolCaller,
  wait,
};
