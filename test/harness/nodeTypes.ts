import './environment';
import { PackageDirectoryLoader, RoutingNode, UnrecognizedNodeTypeError } from 'n8n-core';
import type {
  ICredentialType,
  IExecuteFunctions,
  INodeType,
  INodeTypes,
  IVersionedNodeType,
  Workflow,
} from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';
import { coreNodes } from './coreNodes';

const CORE_PACKAGE = 'n8n-nodes-base';

/** Loads a built package the way n8n loads an installed community package. */
export async function loadPackage(packageDir: string) {
  const loader = new PackageDirectoryLoader(packageDir);
  await loader.loadAll();
  return loader;
}

/** The package under test plus the few stand-ins for n8n's own nodes. */
export class HarnessNodeTypes implements INodeTypes {
  constructor(readonly loader: PackageDirectoryLoader) {}

  getByName(fullName: string): INodeType | IVersionedNodeType {
    const dot = fullName.indexOf('.');
    const packageName = fullName.slice(0, dot);
    const name = fullName.slice(dot + 1);
    if (packageName === this.loader.packageName) return this.loader.getNode(name).type;
    const coreNode = packageName === CORE_PACKAGE ? coreNodes[name] : undefined;
    if (coreNode === undefined) throw new UnrecognizedNodeTypeError(packageName, name);
    return coreNode;
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

  latestVersion(fullName: string): number {
    const { defaultVersion, version } = NodeHelpers.getVersionedNodeType(
      this.getByName(fullName),
    ).description;
    return defaultVersion ?? Math.max(...[version].flat());
  }

  /** Names of the node types (short, then full) in the package under test. */
  packageNodes() {
    return Object.keys(this.loader.nodeTypes).map((name) => `${this.loader.packageName}.${name}`);
  }

  credentialType(name: string): ICredentialType {
    return this.loader.getCredential(name).type;
  }

  isTrigger(workflow: Workflow, nodeName: string) {
    const node = workflow.getNode(nodeName);
    return (
      node !== null && this.getByNameAndVersion(node.type, node.typeVersion).description.inputs.length === 0
    );
  }
}
