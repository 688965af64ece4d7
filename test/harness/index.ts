export { Engine, startEngine } from './engine';
export type { EngineOptions, RunOptions } from './engine';
export { loadPackage } from './nodeTypes';
export { Run } from './run';
export type { UiMessage } from './run';
export type { NodeJson, WorkflowJson } from './workflows';
export { chain, node } from './workflowBuilder';
