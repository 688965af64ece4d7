import type { NodeJson, WorkflowJson } from './workflows';

/** One node of a workflow: `createNode('Get', 'n8n-nodes-base.noOp', { … })`. */
export function createNode(
  name: string,
  type: string,
  parameters: object = {},
  extra: Partial<NodeJson> = {},
): NodeJson {
  return { name, type, parameters, ...extra };
}

/** A workflow of nodes in a row: the first output of each is the input of the next. */
export function chainNodes(...nodes: NodeJson[]): WorkflowJson {
  const links = nodes.slice(1).map(({ name }, index) => {
    const source = nodes[index]?.name ?? '';
    return [source, { main: [[{ node: name, type: 'main', index: 0 }]] }] as const;
  });
  return { nodes, connections: Object.fromEntries(links) };
}
