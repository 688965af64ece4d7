import {
  type IExecuteFunctions,
  type INodeExecutionData,
  type INodeType,
  type INodeTypeDescription,
  NodeConnectionTypes,
} from 'n8n-workflow';
import { describeTool } from './agent/toolForm';
import { nodeMethods } from './nodeMethods';
import { createNodeProperties, createSubtitle } from './operation/nodeProperties';
import type { Resource } from './operation/operation';
import { runItems } from './operation/runItems';

interface ActionNodeSettings extends Pick<
  INodeTypeDescription,
  'displayName' | 'description' | 'sensitiveOutputFields'
> {
  /** The name of the node's type, and of its icon file. */
  name: string;
  resources: Resource[];
  /** The operation that the form selects first in each resource; `getAll` by default. */
  preferredOperation?: string;
}

/** Creates the base class of an action node. n8n loads the class that is named like its file, and calls `execute`. */
export function createActionNode({
  name,
  resources,
  preferredOperation,
  ...texts
}: ActionNodeSettings): new () => INodeType {
  const properties = createNodeProperties(resources, preferredOperation);
  // A tool has no input items, so it lacks the operations that run once for all of them.
  const toolResources = resources.map((resource) => ({
    ...resource,
    operations: resource.operations.filter((operation) => !('runAll' in operation)),
  }));
  return class implements INodeType {
    description: INodeTypeDescription = {
      ...texts,
      name,
      icon: { light: `file:../../icons/${name}.svg`, dark: `file:../../icons/${name}.dark.svg` },
      group: ['transform'],
      version: 1,
      subtitle: createSubtitle(resources),
      defaults: { name: texts.displayName },
      inputs: [NodeConnectionTypes.Main],
      outputs: [NodeConnectionTypes.Main],
      usableAsTool: describeTool(createNodeProperties(toolResources, preferredOperation)),
      credentials: [{ name: 'recordDatabaseApi', required: true, testedBy: 'recordDatabaseApiTest' }],
      properties,
    };

    methods = nodeMethods;

    async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
      return runItems(this, resources);
    }
  };
}
