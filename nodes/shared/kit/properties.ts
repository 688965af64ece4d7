import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import type { Operation, Resource } from './operation';
import { requestOptions } from './requestOptions';

const byName = (a: INodePropertyOptions, b: INodePropertyOptions) => a.name.localeCompare(b.name);

const operationOption = (operation: Operation): INodePropertyOptions => ({
  name: operation.displayName,
  value: operation.name,
  action: operation.action,
  description: operation.description,
});

function operationProperty({ name, operations }: Resource, preferred?: string): INodeProperties {
  const first = (operations.find((one) => one.name === preferred) ?? operations[0])?.name ?? '';
  return {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: { show: { resource: [name] } },
    options: operations.map(operationOption).sort(byName),
    default: first,
  };
}

/** A parameter as shown for one operation, on top of its own conditions. */
const shownFor = (resource: string, operation: string, parameter: INodeProperties): INodeProperties => ({
  ...parameter,
  displayOptions: {
    ...parameter.displayOptions,
    show: { ...parameter.displayOptions?.show, resource: [resource], operation: [operation] },
  },
});

/** A node's whole form, from its resources: resource, operation of each, parameters of each operation, how requests are made. */
export function nodeProperties(resources: Resource[], preferredOperation = 'getAll'): INodeProperties[] {
  const first = resources[0]?.name ?? '';
  const resource: INodeProperties = {
    displayName: 'Resource',
    name: 'resource',
    type: 'options',
    noDataExpression: true,
    options: resources.map((one) => ({ name: one.displayName, value: one.name })).sort(byName),
    default: first,
  };
  return [
    resource,
    ...resources.map((one) => operationProperty(one, preferredOperation)),
    ...resources.flatMap(({ name, operations }) =>
      operations.flatMap((operation) =>
        (operation.parameters ?? []).map((parameter) => shownFor(name, operation.name, parameter)),
      ),
    ),
    requestOptions,
  ];
}
