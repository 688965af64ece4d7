import './environment';
import type { IConnections, IDataObject, INode, IPinData, IWorkflowSettings } from 'n8n-workflow';
import { deepCopy, Workflow } from 'n8n-workflow';
import type { HarnessNodeTypes } from './nodeTypes';

/** A node of an exported workflow. Tests may omit what n8n's editor always writes. */
export interface NodeJson {
  name: string;
  type: string;
  parameters?: object;
  typeVersion?: number;
  position?: number[];
  id?: string;
  webhookId?: string;
  disabled?: boolean;
  credentials?: Record<string, { id?: string | null; name: string }>;
  onError?: string;
  retryOnFail?: boolean;
  maxTries?: number;
  waitBetweenTries?: number;
  alwaysOutputData?: boolean;
  executeOnce?: boolean;
  continueOnFail?: boolean;
}

/** An exported workflow file. The types are wide, so that a parsed JSON file fits. */
export interface WorkflowJson {
  id?: string;
  name?: string;
  nodes: NodeJson[];
  connections?: object;
  settings?: object;
  pinData?: object;
  staticData?: object | null;
}

/** A workflow as n8n's database holds it: with all defaults. */
export interface StoredWorkflow {
  id: string;
  name: string;
  nodes: INode[];
  connections: IConnections;
  settings: IWorkflowSettings;
  pinData: IPinData;
}

interface WorkflowDefaults {
  id: string;
  timezone: string;
}

export function normaliseWorkflow(
  json: WorkflowJson,
  nodeTypes: HarnessNodeTypes,
  defaults: WorkflowDefaults,
): StoredWorkflow {
  // n8n writes parameter defaults into the nodes; a copy protects the caller's JSON.
  const copy = deepCopy(json);
  return {
    id: copy.id ?? defaults.id,
    name: copy.name ?? 'Workflow under test',
    nodes: copy.nodes.map(
      (node, index) =>
        ({
          ...node,
          id: node.id ?? `node-${index}`,
          typeVersion: node.typeVersion ?? nodeTypes.getLatestVersion(node.type),
          position: node.position ?? [220 * index, 0],
          parameters: node.parameters ?? {},
        }) as INode,
    ),
    connections: (copy.connections ?? {}) as IConnections,
    // `v1` is what the editor gives new workflows; the engine's own default is the legacy order.
    settings: { executionOrder: 'v1', timezone: defaults.timezone, ...copy.settings },
    pinData: (copy.pinData ?? {}) as IPinData,
  };
}

/** Creates a new `Workflow`, as n8n does for each request: only the stored JSON is shared. */
export function toWorkflow(
  stored: StoredWorkflow,
  nodeTypes: HarnessNodeTypes,
  { active = false, staticData = {} }: { active?: boolean; staticData?: IDataObject } = {},
) {
  const { id, name, connections, settings, pinData } = stored;
  const nodes = deepCopy(stored.nodes);
  return new Workflow({ id, name, nodes, connections, settings, pinData, nodeTypes, active, staticData });
}
