import '../environment';
import { getAdditionalKeys } from 'n8n-core';
import type {
  ICredentialDataDecryptedObject,
  ICredentialsExpressionResolveValues,
  ICredentialType,
  IExecuteData,
  IHttpRequestHelper,
  IHttpRequestOptions,
  INode,
  INodeCredentialsDetails,
  INodeProperties,
  IRequestOptionsSimplified,
  IWorkflowExecuteAdditionalData,
  Workflow,
  WorkflowExecuteMode,
} from 'n8n-workflow';
import { ICredentialsHelper, isExpression, NodeHelpers, UserError } from 'n8n-workflow';
import type { HarnessNodeTypes } from '../nodeTypes';
import { fillDefaults, resolveForItem, resolveWithoutItem } from './credentialData';
import type { CredentialStore } from './credentialStore';
import { applyTemplates, resolveCredentialTemplate } from './credentialTemplates';

/**
 * n8n's credential handling as the server does it, without its database, licences and external secrets.
 * As there, `preAuthentication` takes no lock: two items that start with an empty token both log in.
 */
export class HarnessCredentialsHelper extends ICredentialsHelper {
  constructor(
    private readonly nodeTypes: HarnessNodeTypes,
    private readonly store: CredentialStore,
  ) {
    super();
  }

  getParentTypes(typeName: string): string[] {
    const parents = this.nodeTypes.loader.known.credentials[typeName]?.extends ?? [];
    return parents.flatMap((parent) => [parent, ...this.getParentTypes(parent)]);
  }

  isCredentialUsableByNode(typeName: string, nodeType: string) {
    const { restrictToSupportedNodes, supportedNodes = [] } = this.nodeTypes.getCredentialType(typeName);
    return !restrictToSupportedNodes || supportedNodes.includes(nodeType.split('.').pop() ?? '');
  }

  async authenticate(
    credentials: ICredentialDataDecryptedObject,
    typeName: string,
    requestOptions: IHttpRequestOptions | IRequestOptionsSimplified,
    workflow?: Workflow,
    node?: INode,
  ): Promise<IHttpRequestOptions> {
    const options = requestOptions as IHttpRequestOptions;
    const { authenticate } = this.nodeTypes.getCredentialType(typeName);
    if (authenticate === undefined) return options;
    if (typeof authenticate === 'function') return await authenticate(credentials, options);
    if (!workflow || !node) throw new UserError('Declarative authentication needs a workflow and a node');
    const resolve = (template: string) => resolveCredentialTemplate(template, credentials, workflow, node);
    return applyTemplates(authenticate, options, resolve);
  }

  async preAuthentication(
    helpers: IHttpRequestHelper,
    credentials: ICredentialDataDecryptedObject,
    typeName: string,
    node: INode,
    credentialsExpired: boolean,
  ) {
    const type = this.nodeTypes.getCredentialType(typeName);
    const token = findExpirableProperty(type);
    if (token === undefined || type.preAuthentication === undefined) return undefined;

    const isCredentialTest = node.type === 'n8n-nodes-base.noOp' && node.parameters.temp === '';
    if (credentials[token] !== '' && !credentialsExpired && !isCredentialTest) return undefined;

    const output = await type.preAuthentication.call(helpers, credentials);
    const reference = node.credentials?.[type.name];
    if (output[token] === undefined || reference === undefined) return undefined;

    // Expressions the user typed stay expressions; only plain values and the token itself are replaced.
    const stored = this.store.read(reference, type.name);
    const fresh = Object.entries(output).filter(([key]) => key === token || !isExpression(stored[key]));
    const updated = { ...stored, ...Object.fromEntries(fresh) } as ICredentialDataDecryptedObject;
    await this.updateCredentials(reference, type.name, updated);
    return Object.assign(credentials, output);
  }

  async runPreAuthentication(
    helpers: IHttpRequestHelper,
    credentials: ICredentialDataDecryptedObject,
    typeName: string,
  ) {
    const { preAuthentication } = this.nodeTypes.getCredentialType(typeName);
    const output = await preAuthentication?.call(helpers, credentials);
    return output as ICredentialDataDecryptedObject | undefined;
  }

  /** n8n's engine calls it for OAuth only. */
  async getCredentials(): Promise<never> {
    throw new UserError('The harness does not do OAuth');
  }

  getCredentialsProperties(typeName: string): INodeProperties[] {
    const type = this.nodeTypes.getCredentialType(typeName);
    if (type.extends === undefined) return type.properties;
    const properties: INodeProperties[] = [];
    for (const parent of type.extends) {
      NodeHelpers.mergeNodeProperties(properties, this.getCredentialsProperties(parent));
    }
    NodeHelpers.mergeNodeProperties(properties, type.properties);
    return properties;
  }

  async getDecrypted(
    additionalData: IWorkflowExecuteAdditionalData,
    reference: INodeCredentialsDetails,
    type: string,
    mode: WorkflowExecuteMode,
    executeData?: IExecuteData,
    raw?: boolean,
    resolveValues?: ICredentialsExpressionResolveValues,
  ) {
    const data = this.store.read(reference, type);
    if (raw === true) return data;
    return this.withDefaults(additionalData, data, type, mode, executeData, resolveValues);
  }

  /** Fills the type's defaults in and resolves expressions, which may read the current item. */
  withDefaults(
    additionalData: IWorkflowExecuteAdditionalData,
    data: ICredentialDataDecryptedObject,
    type: string,
    mode: WorkflowExecuteMode,
    executeData?: IExecuteData,
    values?: ICredentialsExpressionResolveValues,
  ) {
    const keys = getAdditionalKeys(additionalData, mode, null, { isCredential: true });
    const filled = fillDefaults(this.getCredentialsProperties(type), data);
    return values
      ? resolveForItem(filled, values, mode, keys, executeData)
      : resolveWithoutItem(filled, this.nodeTypes, mode, keys);
  }

  async updateCredentials(
    reference: INodeCredentialsDetails,
    type: string,
    data: ICredentialDataDecryptedObject,
  ) {
    this.store.update(reference, type, data);
  }

  async updateCredentialsOauthTokenData(): Promise<void> {
    throw new UserError('The harness does not do OAuth');
  }
}

const findExpirableProperty = (type: ICredentialType) =>
  type.properties.find(({ type: kind, typeOptions }) => kind === 'hidden' && typeOptions?.expirable === true)
    ?.name;
