import type { INodeProperties, INodeTypeDescription } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

const { Main } = NodeConnectionTypes;

/** A description with the parts that the engine reads. */
export function describeNode(
  name: string,
  version: number | number[],
  properties: INodeProperties[] = [],
  overrides: Partial<INodeTypeDescription> = {},
): INodeTypeDescription {
  return {
    displayName: name,
    name,
    group: ['transform'],
    version,
    description: `Stand-in for n8n-nodes-base.${name}`,
    defaults: { name },
    inputs: [Main],
    outputs: [Main],
    properties,
    ...overrides,
  };
}

export const triggerShape: Partial<INodeTypeDescription> = { group: ['trigger'], inputs: [] };
