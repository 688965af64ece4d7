import './environment';
import { PackageDirectoryLoader, RoutingNode, UnrecognizedNodeTypeError } from 'n8n-core';
import type {
  ICredentialType,
  IExecuteFunctions,
  INode,
  INodeProperties,
  INodeType,
  INodeTypeDescription,
  INodeTypes,
  IVersionedNodeType,
} from 'n8n-workflow';
import { NodeConnectionTypes, NodeHelpers } from 'n8n-workflow';
import { coreNodes } from './coreNodes';

const CORE_PACKAGE = 'n8n-nodes-base';

/** Loads a built package the way n8n loads an installed community package. */
export async function loadPackage(packageDir: string) {
  const loader = new PackageDirectoryLoader(packageDir);
  await loader.loadAll();
  return loader;
}

/** Converts a node's description as n8n does for a tool: it has no inputs and a parameter for the description. */
function toToolDescription(description: INodeTypeDescription): INodeTypeDescription {
  const hasOwnDescription = description.properties.some(({ name }) => name === 'toolDescription');
  const added: INodeProperties[] = [
    { displayName: 'Tool Description', name: 'descriptionType', type: 'hidden', default: 'auto' },
    { displayName: 'Description', name: 'toolDescription', type: 'string', default: description.description },
  ];
  return {
    ...description,
    name: `${description.name}Tool`,
    inputs: [],
    outputs: [NodeConnectionTypes.AiTool],
    properties: hasOwnDescription ? description.properties : [...added, ...description.properties],
  };
}

/** The package under test and the stand-ins for n8n's own nodes. */
export class HarnessNodeTypes implements INodeTypes {
  constructor(readonly loader: PackageDirectoryLoader) {}

  getByName(fullName: string): INodeType | IVersionedNodeType {
    const dot = fullName.indexOf('.');
    const packageName = fullName.slice(0, dot);
    const name = fullName.slice(dot + 1);
    if (packageName === this.loader.packageName) return this.getPackageNode(name);
    const coreNode = packageName === CORE_PACKAGE ? coreNodes[name] : undefined;
    if (coreNode === undefined) throw new UnrecognizedNodeTypeError(packageName, name);
    return coreNode;
  }

  /** A node, or the tool that n8n makes of it: the same node under the name with the suffix `Tool`. */
  private getPackageNode(name: string): INodeType | IVersionedNodeType {
    if (!name.endsWith('Tool')) return this.loader.getNode(name).type;
    const node = this.loader.getNode(name.slice(0, -'Tool'.length)).type as INodeType;
    return Object.create(node, { description: { value: toToolDescription(node.description) } }) as INodeType;
  }

  getByNameAndVersion(fullName: string, version?: number): INodeType {
    const nodeType = NodeHelpers.getVersionedNodeType(this.getByName(fullName), version);
    const isDeclarative = nodeType.description.requestDefaults !== undefined;
    if (isDeclarative && !nodeType.execute && !nodeType.trigger && !nodeType.webhook && !nodeType.poll) {
      nodeType.execute = async function (this: IExecuteFunctions) {
        return (await new RoutingNode(this as never, nodeType).runNode()) ?? [];
      };
    }
    return nodeType;
  }

  getKnownTypes() {
    return this.loader.known.nodes as never;
  }

  getLatestVersion(fullName: string): number {
    const { defaultVersion, version } = NodeHelpers.getVersionedNodeType(
      this.getByName(fullName),
    ).description;
    return defaultVersion ?? Math.max(...[version].flat());
  }

  /** Names of the node types (short, then full) in the package under test. */
  listPackageNodes() {
    return Object.keys(this.loader.nodeTypes).map((name) => `${this.loader.packageName}.${name}`);
  }

  getCredentialType(name: string): ICredentialType {
    return this.loader.getCredential(name).type;
  }

  /** Whether a node has no input. */
  isTrigger({ type, typeVersion }: INode): boolean {
    return this.getByNameAndVersion(type, typeVersion).description.inputs.length === 0;
  }
}
