import './environment';
import { LoadOptionsContext } from 'n8n-core';
import type {
  ILoadOptionsFunctions,
  INode,
  INodeListSearchResult,
  INodeParameters,
  INodePropertyOptions,
  INodeType,
  ResourceMapperFields,
} from 'n8n-workflow';
import { UserError, Workflow } from 'n8n-workflow';
import { createAdditionalData } from './additionalData';
import type { Runtime } from './runtime';

type MethodKind = 'listSearch' | 'loadOptions' | 'resourceMapping';

export interface EditorOptions {
  /** Path of the parameter, as the editor sends it: `parameters.filters.conditions[0].field`. */
  path?: string;
}

export interface ListSearchOptions extends EditorOptions {
  filter?: string;
  paginationToken?: string;
}

/** The lists the editor offers while a node is being set up. */
export class Editor {
  constructor(
    private readonly runtime: Runtime,
    /** With its credentials; the parameters as the user has set them so far. */
    private readonly node: INode,
  ) {}

  async listSearch(method: string, { filter, paginationToken, path }: ListSearchOptions = {}) {
    const result = await this.callMethod<INodeListSearchResult>(
      'listSearch',
      method,
      path,
      filter,
      paginationToken,
    );
    // n8n turns a numeric token into text on its way to the browser and back.
    const token: unknown = result.paginationToken;
    return typeof token === 'number' ? { ...result, paginationToken: String(token) } : result;
  }

  async loadOptions(method: string, { path }: EditorOptions = {}) {
    return await this.callMethod<INodePropertyOptions[]>('loadOptions', method, path);
  }

  /** n8n keeps the first field of each id. */
  async getResourceMapperFields(method: string, { path }: EditorOptions = {}) {
    const result = await this.callMethod<ResourceMapperFields>('resourceMapping', method, path);
    const ids = result.fields.map(({ id }) => id);
    return { ...result, fields: result.fields.filter(({ id }, index) => ids.indexOf(id) === index) };
  }

  private async callMethod<T>(kind: MethodKind, name: string, path = '', ...args: unknown[]): Promise<T> {
    const { nodeTypes } = this.runtime;
    const nodeType = nodeTypes.getByNameAndVersion(this.node.type, this.node.typeVersion);
    const currentNodeParameters = this.node.parameters as INodeParameters;
    const workflow = new Workflow({ nodes: [this.node], connections: {}, active: false, nodeTypes });
    const additionalData = createAdditionalData(this.runtime, { currentNodeParameters });
    const context = new LoadOptionsContext(workflow, this.node, additionalData, path);
    return (await findMethod(nodeType, kind, name).call(context as ILoadOptionsFunctions, ...args)) as T;
  }
}

type EditorMethod = (this: ILoadOptionsFunctions, ...args: unknown[]) => Promise<unknown>;

function findMethod(nodeType: INodeType, kind: MethodKind, name: string): EditorMethod {
  const methods = (nodeType.methods?.[kind] ?? {}) as Record<string, EditorMethod | undefined>;
  const method = methods[name];
  if (method) return method;
  const known = Object.keys(methods).join(', ') || 'none';
  throw new UserError(`${nodeType.description.name} has no ${kind} method "${name}"; it has: ${known}`);
}
