import type { NodeJson, WorkflowJson } from './workflows';

/** `node('Get', 'n8n-nodes-base.noOp', { … })`: one node of a workflow under test. */
export function node(
  name: string,
  type: string,
  parameters: object = {},
  extra: Partial<NodeJson> = {},
): NodeJson {
  return { name, type, parameters, ...extra };
}

/** A workflow whose nodes stand in a row, each fed by the first output of the one before. */
export function chain(...nodes: NodeJson[]): WorkflowJson {
  const links = nodes.slice(1).map(({ name }, index) => {
    const source = nodes[index]?.name ?? '';
    return [source, { main: [[{ node: name, type: 'main', index: 0 }]] }] as const;
  });
  return { nodes, connections: Object.fromEntries(links) };
}
