import type { IExecuteFunctions, INodeType, ITriggerFunctions } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { describe, triggerShape } from './describe';

const { Main } = NodeConnectionTypes;

const emitOneItem = async function (this: ITriggerFunctions) {
  const manualTriggerFunction = async () => this.emit([this.helpers.returnJsonArray([{}])]);
  return { manualTriggerFunction };
};

export const manualTrigger: INodeType = {
  description: describe('manualTrigger', 1, [], triggerShape),
  trigger: emitOneItem,
};

/** Never fires by itself here; run by hand it emits one item, as the real one does (with a date in it). */
export const scheduleTrigger: INodeType = {
  description: describe(
    'scheduleTrigger',
    [1, 1.1, 1.2, 1.3],
    [{ displayName: 'Trigger Rules', name: 'rule', type: 'json', default: {} }],
    triggerShape,
  ),
  trigger: emitOneItem,
};

export const noOp: INodeType = {
  description: describe('noOp', 1),
  async execute(this: IExecuteFunctions) {
    return [this.getInputData()];
  },
};

export const stickyNote: INodeType = {
  description: describe('stickyNote', 1, [], { inputs: [], outputs: [] }),
  async execute(this: IExecuteFunctions) {
    return [this.getInputData()];
  },
};

/** Append mode only: all items of the first input, then those of the next ones. */
export const merge: INodeType = {
  description: describe(
    'merge',
    [3, 3.1, 3.2],
    [
      {
        displayName: 'Mode',
        name: 'mode',
        type: 'options',
        options: [{ name: 'Append', value: 'append' }],
        default: 'append',
      },
    ],
    { inputs: [Main, Main], requiredInputs: 1 },
  ),
  async execute(this: IExecuteFunctions) {
    return [[0, 1].flatMap((input) => this.getInputData(input))];
  },
};
