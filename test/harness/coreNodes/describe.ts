import type { INodeProperties, INodeTypeDescription } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

const { Main } = NodeConnectionTypes;

/** The parts of a description the engine reads; titles and icons are the editor's business. */
export function describe(
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
