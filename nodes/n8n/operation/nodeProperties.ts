import type { IExecuteFunctions, INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { type ClientOptions, DEFAULT_CONCURRENCY, DEFAULT_TIMEOUT_MS } from '../../client/http/client';
import { type ParameterDefinition, createOptions, defineParameter } from '../parameters/parameter';
import { ParameterReader } from '../parameters/parameterReader';
import type { Operation, Resource } from './operation';

const DEFAULT_TIMEOUT_SECONDS = DEFAULT_TIMEOUT_MS / 1000;

/** The longest delay of a timer, in milliseconds. A timer with a longer delay expires at once. */
const MAX_TIMER_MS = 2_147_483_647;

const parallelOption = defineParameter({
  displayName: 'Parallel Requests',
  name: 'parallel',
  type: 'number',
  typeOptions: { minValue: 1, maxValue: 50 },
  default: DEFAULT_CONCURRENCY,
  description:
    'How many requests may run at once. The order of the items and the request limit of the API key are kept with any number.',
});

const timeoutOption = defineParameter({
  displayName: 'Request Timeout',
  name: 'timeout',
  type: 'number',
  typeOptions: { minValue: 0.1, numberPrecision: 1 },
  default: DEFAULT_TIMEOUT_SECONDS,
  description: 'How many seconds to wait for one answer of the service',
});

/** Options for sending requests. Every operation of every node has them. */
const requestOptions: INodeProperties[] = [parallelOption, timeoutOption];

const compareLabels = (a: INodeProperties, b: INodeProperties) => a.displayName.localeCompare(b.displayName);

/** Adds the request options to an operation's own options. */
export function withRequestOptions(parameters: ParameterDefinition[]): ParameterDefinition[] {
  const own = parameters.find(({ name }) => name === 'options');
  const ownOptions = (own?.options ?? []) as INodeProperties[];
  const options = createOptions(...[...ownOptions, ...requestOptions].sort(compareLabels));
  return [...parameters.filter((parameter) => parameter !== own), options];
}

const toMilliseconds = (seconds: number): number => Math.min(seconds * 1000, MAX_TIMER_MS);

/**
 * Returns the option Request Timeout in milliseconds, or undefined when it was not added. In the editor, an
 * expression has no value yet, so a value that is no time is ignored.
 */
export function parseEditorTimeout(options: unknown): number | undefined {
  const seconds = Number((options as { timeout?: unknown } | undefined)?.timeout);
  return seconds > 0 ? toMilliseconds(seconds) : undefined;
}

/** Returns the request options, which apply to the whole run, from the first item. @throws InputError */
export function readRequestOptions(context: IExecuteFunctions): ClientOptions {
  const reader = new ParameterReader(
    () => context.getNode(),
    ({ name, default: fallback }) => context.getNodeParameter(name, 0, fallback),
  );
  const timeout = reader.readOption(timeoutOption);
  return {
    concurrency: reader.readOption(parallelOption),
    timeout: timeout === undefined ? undefined : toMilliseconds(timeout),
  };
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
    options: operations.map(toOperationOption),
    default: first,
  };
}

/** Returns a definition without the keys that n8n does not know. The options of a collection are definitions too. */
function toProperty(definition: ParameterDefinition): INodeProperties {
  const property = { ...definition };
  delete property.allowsEmptyExpression;
  delete property.listsNames;
  if (property.type !== 'collection') return property;
  return { ...property, options: (property.options as ParameterDefinition[]).map(toProperty) };
}

/** Converts a parameter to a property that n8n shows for one operation, subject to the parameter's own conditions. */
const showForOperation = (
  resource: string,
  operation: string,
  definition: ParameterDefinition,
): INodeProperties => {
  const property = toProperty(definition);
  return {
    ...property,
    displayOptions: {
      ...property.displayOptions,
      show: { ...property.displayOptions?.show, resource: [resource], operation: [operation] },
    },
  };
};

/** Builds the form of a node: the resource, the operation, each operation's parameters and its request options. */
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
    ...resources.flatMap(({ name, operations }) =>
      operations.flatMap((operation) =>
        withRequestOptions(operation.parameters ?? []).map((parameter) =>
          showForOperation(name, operation.name, parameter),
        ),
      ),
    ),
  ];
}
