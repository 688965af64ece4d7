import type { IExecuteFunctions, INode, NodeTypeAndVersion, Workflow } from 'n8n-workflow';

/** n8n's Loop Over Items. Nodes behind its output "done" run once. */
const LOOP_NODE = 'n8n-nodes-base.splitInBatches';

/** A connection into a node, with the node that it comes from. */
interface Source {
  node: NodeTypeAndVersion;
  /** The output of the node that it comes from. */
  output?: number;
}

/**
 * The main connections of each input, by the name of the node that they lead to. n8n's public type does not list them,
 * and without them an If node with both outputs on one node looks like one connection.
 */
type Connections = Workflow['connectionsByDestinationNode'];

const readConnections = (context: object): Connections | undefined =>
  (context as { workflow?: Pick<Workflow, 'connectionsByDestinationNode'> }).workflow
    ?.connectionsByDestinationNode;

/** Lists the connections of each input of a node. */
function listInputs(context: IExecuteFunctions, name: string): Source[][] {
  const parents = context.getParentNodes(name, { depth: 1 });
  const connections = readConnections(context);
  if (!connections) return [parents.map((node) => ({ node }))];
  return (connections[name]?.main ?? []).map((input) =>
    (input ?? []).flatMap(({ node: parent, index }) => {
      const node = parents.find((one) => one.name === parent);
      return node ? [{ node, output: index }] : [];
    }),
  );
}

/** Whether a node is part of a loop: one of its ancestors is also one of its descendants. */
function isInLoop(context: IExecuteFunctions, name: string): boolean {
  const descendants = new Set(context.getChildNodes(name).map((child) => child.name));
  return context.getParentNodes(name).some((parent) => descendants.has(parent.name));
}

/** Whether a connection comes from the output "done" of a loop. */
const isLoopEnd = ({ node, output }: Source): boolean =>
  node.type === LOOP_NODE && (output === undefined || output === (node.typeVersion >= 3 ? 0 : 1));

/** Whether the execution passes through a node: one trigger started it, and others of the workflow did not run. */
function isReached(context: IExecuteFunctions, { name }: Pick<INode, 'name'>): boolean {
  const roots = [name, ...context.getParentNodes(name).map((parent) => parent.name)].filter(
    (one) => context.getParentNodes(one, { depth: 1 }).length === 0,
  );
  const { $: find } = context.getWorkflowDataProxy(0);
  return roots.length === 0 || roots.some((root) => find(root).isExecuted !== false);
}

/** Looks at the connections into a node, and then at those into the nodes before it. */
function findRepeatedInput(
  context: IExecuteFunctions,
  name: string,
  seen = new Set<string>(),
): string | undefined {
  if (seen.has(name)) return undefined;
  seen.add(name);
  const descendants = new Set(context.getChildNodes(name).map((child) => child.name));
  const inputs = listInputs(context, name).map((sources) =>
    sources.filter(({ node }) => !descendants.has(node.name) && isReached(context, node)),
  );
  if (inputs.some((sources) => sources.length > 1)) {
    const owner = seen.size === 1 ? 'its input' : `the input of "${name}" before it`;
    return `several connections lead to ${owner}`;
  }
  for (const source of inputs.flat()) {
    const { node } = source;
    if (!node.disabled && isInLoop(context, node.name) && !isLoopEnd(source)) return 'it is in a loop';
    const reason = findRepeatedInput(context, node.name, seen);
    if (reason) return reason;
  }
  return undefined;
}

/** Returns why the node may run more than once in this execution, or undefined. */
export function findRepetition(context: IExecuteFunctions): string | undefined {
  const { name } = context.getNode();
  if (Number(context.getWorkflowDataProxy(0).$runIndex) > 0) return 'it ran before in this execution';
  return isInLoop(context, name) ? 'it is in a loop' : findRepeatedInput(context, name);
}
