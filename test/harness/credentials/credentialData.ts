import '../environment';
import type {
  ICredentialDataDecryptedObject,
  ICredentialsExpressionResolveValues,
  IExecuteData,
  INode,
  INodeParameters,
  INodeProperties,
  INodeTypes,
  IWorkflowDataProxyAdditionalKeys,
  WorkflowExecuteMode,
} from 'n8n-workflow';
import { NodeHelpers, Workflow } from 'n8n-workflow';

export function fillDefaults(
  properties: INodeProperties[],
  data: ICredentialDataDecryptedObject,
): INodeParameters {
  return NodeHelpers.getNodeParameters(properties, data as INodeParameters, true, false, null, null) ?? {};
}

/** During an execution a credential may read the current item: `={{ $json.key }}`. */
export function resolveForItem(
  data: INodeParameters,
  values: ICredentialsExpressionResolveValues,
  mode: WorkflowExecuteMode,
  keys: IWorkflowDataProxyAdditionalKeys,
  executeData?: IExecuteData,
): ICredentialDataDecryptedObject {
  const { workflow, runExecutionData, runIndex, itemIndex, node, connectionInputData } = values;
  return workflow.expression.getParameterValue(
    data,
    runExecutionData,
    runIndex,
    itemIndex,
    node.name,
    connectionInputData,
    mode,
    keys,
    executeData,
    false,
    data,
  ) as unknown as ICredentialDataDecryptedObject;
}

/** In the editor and in webhooks there is no item yet. */
export function resolveWithoutItem(
  data: INodeParameters,
  nodeTypes: INodeTypes,
  mode: WorkflowExecuteMode,
  keys: IWorkflowDataProxyAdditionalKeys,
): ICredentialDataDecryptedObject {
  const node: INode = {
    id: 'blank',
    name: 'Blank',
    type: 'n8n-nodes-base.noOp',
    typeVersion: 1,
    position: [0, 0],
    parameters: {},
  };
  const workflow = new Workflow({ nodes: [node], connections: {}, active: false, nodeTypes });
  return workflow.expression.getComplexParameterValue(
    node,
    data,
    mode,
    keys,
    undefined,
    undefined,
    data,
  ) as unknown as ICredentialDataDecryptedObject;
}
