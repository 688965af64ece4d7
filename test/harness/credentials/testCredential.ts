import '../environment';
import lodash from 'lodash';
import { CredentialTestContext, ExecuteContext, RoutingNode } from 'n8n-core';
import type {
  ICredentialsDecrypted,
  ICredentialTestFunction,
  ICredentialTestRequest,
  INode,
  INodeCredentialTestResult,
  INodeType,
  INodeTypes,
} from 'n8n-workflow';
import { createEmptyRunExecutionData, NodeHelpers, VersionedNodeType, Workflow } from 'n8n-workflow';
import { createAdditionalData } from '../additionalData';
import type { HarnessNodeTypes } from '../nodeTypes';
import type { Runtime } from '../runtime';

const NOOP = 'n8n-nodes-base.noOp';

/** Tests a credential as the editor does on "Save": by the type's test request, or by a node's `testedBy`. */
export async function testCredential(
  runtime: Runtime,
  type: string,
  credential: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
  const { nodeTypes, credentialsHelper } = runtime;
  const test = findTest(nodeTypes, type);
  if (!test) return createFailure('No testing function found for this credential.');
  const additionalData = createAdditionalData(runtime);
  const data = credentialsHelper.withDefaults(additionalData, credential.data ?? {}, type, 'internal');
  const decrypted = { ...credential, data };
  if (typeof test === 'function') {
    return await test.call(new CredentialTestContext(additionalData), decrypted);
  }
  return await runTestRequest(runtime, type, decrypted, test);
}

const createFailure = (message: string): INodeCredentialTestResult => ({ status: 'Error', message });

function findTest(
  nodeTypes: HarnessNodeTypes,
  type: string,
): ICredentialTestRequest | ICredentialTestFunction | undefined {
  const ownTest = nodeTypes.getCredentialType(type).test;
  if (ownTest) return ownTest;
  for (const name of nodeTypes.listPackageNodes()) {
    const known = nodeTypes.getByName(name);
    const versions =
      known instanceof VersionedNodeType ? Object.values(known.nodeVersions) : [known as INodeType];
    for (const { description, methods } of versions) {
      const testedBy = description.credentials?.find((credential) => credential.name === type)?.testedBy;
      if (typeof testedBy === 'string') return methods?.credentialTest?.[testedBy];
      if (testedBy) return testedBy;
    }
  }
  return undefined;
}

async function runTestRequest(
  runtime: Runtime,
  type: string,
  credential: ICredentialsDecrypted,
  { request, rules = [] }: ICredentialTestRequest,
): Promise<INodeCredentialTestResult> {
  try {
    const output = await sendThroughRoutingNode(runtime, type, credential, request);
    const body = output?.[0]?.[0]?.json;
    for (const { type: rule, properties } of rules) {
      if (rule === 'responseSuccessBody' && 'key' in properties) {
        if (lodash.get(body, properties.key) === properties.value) return createFailure(properties.message);
      }
    }
    return { status: 'OK', message: 'Connection successful!' };
  } catch (error) {
    return explainFailure(error as RequestError, rules);
  }
}

interface RequestError {
  message: string;
  cause?: { code?: string; response?: { status: number; statusText?: string } };
}

function explainFailure(
  { message, cause }: RequestError,
  rules: NonNullable<ICredentialTestRequest['rules']>,
) {
  if (!cause?.response) return createFailure(cause?.code ?? message);
  const { status, statusText } = cause.response;
  for (const { type, properties } of rules) {
    if (type === 'responseCode' && properties.value === status) return createFailure(properties.message);
  }
  return createFailure(statusText || `Received HTTP status code: ${status}`);
}

/** n8n puts the request on a No Operation node and lets its declarative engine send it. */
async function sendThroughRoutingNode(
  runtime: Runtime,
  type: string,
  credential: ICredentialsDecrypted,
  request: ICredentialTestRequest['request'],
) {
  const noOp = runtime.nodeTypes.getByNameAndVersion(NOOP);
  const nodeType: INodeType = {
    description: {
      ...noOp.description,
      name: NOOP,
      credentials: [{ name: type, required: true }],
      properties: [{ displayName: 'Temp', name: 'temp', type: 'string', routing: { request }, default: '' }],
    },
  };
  const node: INode = {
    id: 'temp',
    name: 'Temp-Node',
    type: NOOP,
    typeVersion: 1,
    position: [0, 0],
    parameters: {},
    credentials: { [type]: { id: credential.id, name: credential.name } },
  };
  const nodeTypes: INodeTypes = {
    getByName: () => nodeType,
    getByNameAndVersion: (_name, version) => NodeHelpers.getVersionedNodeType(nodeType, version),
    getKnownTypes: () => ({}),
  };
  const workflow = new Workflow({ nodes: [node], connections: {}, active: false, nodeTypes });
  const additionalData = createAdditionalData(runtime, { currentNodeParameters: node.parameters });
  const context = new ExecuteContext(
    workflow,
    node,
    additionalData,
    'internal',
    createEmptyRunExecutionData(),
    0,
    [],
    { main: [[{ json: {} }]] },
    { node, data: {}, source: null },
    [],
  );
  return await new RoutingNode(context, nodeType, credential).runNode();
}
