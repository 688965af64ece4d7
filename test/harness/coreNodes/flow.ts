import { sleep } from 'n8n-workflow';
import type {
  IExecuteFunctions,
  INodeExecutionData,
  INodeProperties,
  INodeType,
  ITriggerFunctions,
} from 'n8n-workflow';
import { describeNode, triggerShape } from './describeNode';

export const manualTrigger: INodeType = {
  description: describeNode('manualTrigger', 1, [], triggerShape),
  async trigger(this: ITriggerFunctions) {
    return { manualTriggerFunction: async () => this.emit([this.helpers.returnJsonArray([{}])]) };
  },
};

/** "Schedule Trigger". It starts nothing by itself; see `ActiveTrigger.runFrom`. */
export const scheduleTrigger: INodeType = {
  description: describeNode('scheduleTrigger', 1.2, [], triggerShape),
  async trigger(this: ITriggerFunctions) {
    return { manualTriggerFunction: async () => this.emit([this.helpers.returnJsonArray([{}])]) };
  },
};

/** "n8n Form Trigger". A test gives its item as the input of the run. */
export const formTrigger: INodeType = {
  description: describeNode('formTrigger', [2, 2.1, 2.2], [], triggerShape),
  async trigger(this: ITriggerFunctions) {
    return { manualTriggerFunction: async () => this.emit([this.helpers.returnJsonArray([{}])]) };
  },
};

export const noOp: INodeType = {
  description: describeNode('noOp', 1),
  async execute(this: IExecuteFunctions) {
    return [this.getInputData()];
  },
};

export const stickyNote: INodeType = {
  description: describeNode('stickyNote', 1, [], { inputs: [], outputs: [] }),
  async execute(this: IExecuteFunctions) {
    return [this.getInputData()];
  },
};

const workflowId: INodeProperties = {
  displayName: 'Workflow',
  name: 'workflowId',
  type: 'resourceLocator',
  default: '',
  modes: [{ displayName: 'By ID', name: 'id', type: 'string' }],
};

/** "Execute Sub-workflow" with all items at once; returns what the last node of the workflow returns. */
export const executeWorkflow: INodeType = {
  description: describeNode('executeWorkflow', 1.1, [workflowId]),
  async execute(this: IExecuteFunctions) {
    const id = this.getNodeParameter('workflowId', 0, '', { extractValue: true }) as string;
    const { data } = await this.executeWorkflow({ id }, this.getInputData());
    return data.map((items) => items ?? []);
  },
};

/** "When Executed by Another Workflow", which passes all items on. */
export const executeWorkflowTrigger: INodeType = {
  description: describeNode('executeWorkflowTrigger', 1.1, [], triggerShape),
  async execute(this: IExecuteFunctions) {
    return [this.getInputData()];
  },
};

/** "Loop Over Items": outputs "done" and "loop". It passes one batch on in each run, and all items at the end. */
export const splitInBatches: INodeType = {
  description: describeNode(
    'splitInBatches',
    3,
    [{ displayName: 'Batch Size', name: 'batchSize', type: 'number', default: 1 }],
    { outputs: ['main', 'main'] },
  ),
  async execute(this: IExecuteFunctions) {
    const state = this.getContext('node');
    const returned = (state.done ?? []) as INodeExecutionData[];
    const isFirst = state.waiting === undefined;
    const waiting = isFirst ? this.getInputData() : (state.waiting as INodeExecutionData[]);
    const batch = waiting.slice(0, this.getNodeParameter('batchSize', 0) as number);
    state.waiting = waiting.slice(batch.length);
    state.done = isFirst ? [] : [...returned, ...this.getInputData()];
    return batch.length > 0 ? [[], batch] : [state.done as INodeExecutionData[], []];
  },
};

/** Milliseconds from which n8n stores a waiting execution in its database and ends it in the process. */
const STORED_WAIT_MS = 65_000;

const UNIT_MS = { seconds: 1_000, minutes: 60_000, hours: 3_600_000, days: 86_400_000 };

/** The time until which a Wait node waits. */
function readWaitEnd(context: IExecuteFunctions): Date {
  if (context.getNodeParameter('resume', 0) === 'specificTime') {
    return new Date(context.getNodeParameter('dateTime', 0) as string);
  }
  const amount = context.getNodeParameter('amount', 0) as number;
  const unit = context.getNodeParameter('unit', 0) as keyof typeof UNIT_MS;
  return new Date(Date.now() + amount * UNIT_MS[unit]);
}

/** "Wait" until a time or for an interval. `Engine.resume` continues an execution that was stored. */
export const wait: INodeType = {
  description: describeNode('wait', 1.1, [
    { displayName: 'Resume', name: 'resume', type: 'options', options: [], default: 'timeInterval' },
    { displayName: 'Date and Time', name: 'dateTime', type: 'dateTime', default: '' },
    { displayName: 'Wait Amount', name: 'amount', type: 'number', default: 5 },
    { displayName: 'Wait Unit', name: 'unit', type: 'options', options: [], default: 'seconds' },
  ]),
  async execute(this: IExecuteFunctions) {
    const until = readWaitEnd(this);
    const ms = Math.max(0, until.getTime() - Date.now());
    if (ms < STORED_WAIT_MS) await sleep(ms);
    else await this.putExecutionToWait(until);
    return [this.getInputData()];
  },
};
