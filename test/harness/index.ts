export type { Engine } from './engine';
export type { Run } from './execution/run';
export { startEngine } from './startEngine';
export type { NodeJson, WorkflowJson } from './workflows';
export { chainNodes, createNode } from './workflowBuilder';
