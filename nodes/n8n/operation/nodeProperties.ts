/** The form of a node, and its subtitle, made from its operations. */
import { omit, sortBy } from 'lodash';
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { answerSizeOption } from '../agent/agent';
import { addToolConditions, toolNotice } from '../agent/toolForm';
import { type ParameterDefinition, createOptions, showWhen } from '../parameters/parameter';
import type { Operation, Resource } from './operation';

export function createNodeProperties(
  resources: Resource[],
  preferredOperation = 'getAll',
): INodeProperties[] {
  const first = resources[0]?.name ?? '';
  const resource: INodeProperties = {
    displayName: 'Resource',
    name: 'resource',
    type: 'options',
    noDataExpression: true,
    options: resources.map((entry) => ({ name: entry.displayName, value: entry.name })),
    default: first,
  };
  return [
    resource,
    ...resources.map((entry) => createOperationProperty(entry, preferredOperation)),
    toolNotice,
    ...resources.flatMap(({ name, operations }) =>
      operations.flatMap((operation) =>
        addToolConditions(addAnswerSizeOption(operation.parameters ?? [])).map((parameter) =>
          showWhen(toN8nProperty(parameter), { resource: [name], operation: [operation.name] }),
        ),
      ),
    ),
  ];
}

const toOperationOption = (operation: Operation): INodePropertyOptions => ({
  name: operation.displayName,
  value: operation.name,
  action: operation.action,
  description: operation.description,
});

function createOperationProperty({ name, operations }: Resource, preferred?: string): INodeProperties {
  const first = (operations.find((operation) => operation.name === preferred) ?? operations[0])?.name ?? '';
  return {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: { show: { resource: [name] } },
    options: sortBy(operations, 'displayName').map(toOperationOption),
    default: first,
  };
}

/** Removes the keys that only this package uses, also from the options of a collection. */
function toN8nProperty(definition: ParameterDefinition): INodeProperties {
  const property = omit(definition, ['allowsEmptyExpression', 'forTools', 'inTools']);
  if (property.type !== 'collection') return property;
  return { ...property, options: (property.options as ParameterDefinition[]).map(toN8nProperty) };
}

/** Adds Answer Size, which only a tool has, to the collection Options, and moves the collection to the end. */
function addAnswerSizeOption(parameters: ParameterDefinition[]): ParameterDefinition[] {
  const isCollection = ({ type }: ParameterDefinition) => type === 'collection';
  const own = (parameters.find(isCollection)?.options ?? []) as ParameterDefinition[];
  return [...parameters.filter((one) => !isCollection(one)), createOptions(...own, answerSizeOption)];
}

/** Creates the expression for the text below a node on the canvas: the action of the chosen operation. */
export function createSubtitle(resources: Resource[]): string {
  const actions = resources.flatMap(({ name, operations }) =>
    operations.map((operation) => [`${name} ${operation.name}`, operation.action]),
  );
  const key = '$parameter["resource"] + " " + $parameter["operation"]';
  return `={{ (${JSON.stringify(Object.fromEntries(actions))})[${key}] }}`;
}
