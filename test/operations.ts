import { join } from 'node:path';
import type { INodeProperties } from 'n8n-workflow';
import { n8n } from '../package.json';
import type { Operation, Resource } from '../nodes/shared/kit/operation';

export interface NodeOperations {
  /** Folder below `nodes/`, and the name of the node's class. */
  folder: string;
  displayName: string;
  /** The form that the node makes of its resources. */
  properties: INodeProperties[];
  resources: Resource[];
}

const folderOf = (file: string) => file.split('/')[2] ?? '';

/**
 * Every action node that package.json registers, with its operations as data: `resources` beside the node
 * is what the node itself is built from. The README's table, the contract test and the rules in `unit/house` read it as well.
 */
export function actionNodes(): NodeOperations[] {
  return n8n.nodes
    .map(folderOf)
    .filter((folder) => !folder.endsWith('Trigger'))
    .map((folder) => {
      const path = join(__dirname, '..', 'nodes', folder);
      // eslint-disable-next-line @typescript-eslint/no-require-imports
      const { resources } = require(join(path, 'resources')) as { resources: Resource[] };
      // eslint-disable-next-line @typescript-eslint/no-require-imports
      const node = require(join(path, `${folder}.node.ts`)) as Record<
        string,
        new () => { description: { displayName: string; properties: INodeProperties[] } }
      >;
      const Node = node[folder];
      if (!Node) throw new Error(`${folder}.node.ts exports no class ${folder}`);
      const { displayName, properties } = new Node().description;
      return { folder, displayName, properties, resources };
    });
}

export const allOperations = (): Operation[] =>
  actionNodes().flatMap(({ resources }) => resources.flatMap(({ operations }) => operations));
