import { randomUUID } from 'node:crypto';

export interface NodeJson {
  name: string;
  type: string;
  typeVersion: number;
  parameters: object;
  webhookId?: string;
  credentials?: object;
}

/** A built-in node of n8n. */
export const base = (name: string, type: string, typeVersion: number, parameters: object): NodeJson => ({
  name,
  type: `n8n-nodes-base.${type}`,
  typeVersion,
  parameters,
});

/** Responds after the workflow has ended: 200 after success, 500 after a failure. */
export const webhook = (name: string, path: string): NodeJson => ({
  ...base(name, 'webhook', 2, {
    path,
    httpMethod: 'POST',
    responseMode: 'lastNode',
    responseData: 'noData',
    options: {},
  }),
  webhookId: randomUUID(),
});

/** `links` are pairs of node names; `Name:1` is the second input of a node. */
export function workflow(name: string, nodes: NodeJson[], links: string[][]): object {
  const connections: Record<string, { main: Array<Array<{ node: string; type: 'main'; index: number }>> }> =
    {};
  for (const [from = '', to = ''] of links) {
    const [node = '', index = '0'] = to.split(':');
    connections[from] ??= { main: [[]] };
    connections[from].main[0]?.push({ node, type: 'main', index: Number(index) });
  }
  return {
    name,
    nodes: nodes.map((node, index) => ({ id: randomUUID(), position: [220 * index, 0], ...node })),
    connections,
    settings: { executionOrder: 'v1' },
    active: false,
  };
}
