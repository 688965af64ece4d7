/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { join } from 'node:path';
import type { INodeProperties, INodeTypeDescription } from 'n8n-workflow';
import type { Operation, Resource } from '../nodes/n8n/operation/operation';
import { n8n } from '../package.json';

export interface NodeOperations {
  /** Folder below `nodes/`, and the name of the node's class. */
  folder: string;
  displayName: string;
  /** The form that the node builds from its resources. */
  properties: INodeProperties[];
  description: INodeTypeDescription;
  resources: Resource[];
}

const getFolder = (file: string) => file.split('/')[2] ?? '';

/**
 * Every action node that package.json registers, with its operations as data. The node itself is built from the same
 * `resources`. docs/operations.md, the contract test and the rules in `unit/conventions` also use them.
 */
export function loadActionNodes(): NodeOperations[] {
  return n8n.nodes
    .map(getFolder)
    .filter((folder) => !folder.endsWith('Trigger'))
    .map((folder) => {
      // eslint-disable-next-line @typescript-eslint/no-require-imports
      const node = require(join(__dirname, '..', 'nodes', folder, `${folder}.node.ts`)) as {
        resources: Resource[];
        [className: string]: unknown;
      };
      const Node = node[folder] as (new () => { description: INodeTypeDescription }) | undefined;
      if (!Node) throw new Error(`${folder}.node.ts exports no class ${folder}`);
      const { resources } = node;
      const { description } = new Node();
      const { displayName, properties } = description;
      return { folder, displayName, properties, description, resources };
    });
}

export const listOperations = (): Operation[] =>
  loadActionNodes().flatMap(({ resources }) => resources.flatMap(({ operations }) => operations));
