/**
 * The form of a node as the tool of an AI agent. The condition `@tool` shows a property only in this form, or
 * only in the form of a workflow node (n8n-workflow 1.120 and later). A tool has one JSON input in place of
 * rows of conditions, because n8n describes all properties to models that build workflows. With the rows, the
 * description of the main node would have 39,000 tokens.
 */
import { isEqual, omit } from 'lodash';
import type {
  IDisplayOptions,
  INodeProperties,
  INodePropertyCollection,
  INodeTypeDescription,
} from 'n8n-workflow';
import { type ParameterDefinition, showWhen } from '../parameters/parameter';

const TOOL_CONDITION = '@tool';

export const toolNotice: INodeProperties = {
  displayName:
    'The model fills in each field marked "Defined automatically by the model" ($fromAI). Fill in the others here.',
  name: 'toolNotice',
  type: 'notice',
  default: '',
  displayOptions: { show: { [TOOL_CONDITION]: [true] } },
};

const addToolCondition = <P extends ParameterDefinition>(parameter: P, isTool: boolean): P =>
  showWhen(parameter, { [TOOL_CONDITION]: [isTool] });

/** Returns the conditions that all options share. Options that only a tool has are ignored. */
function findSharedConditions(options: ParameterDefinition[]): IDisplayOptions['show'] {
  const [first, ...others] = options
    .filter(({ displayOptions }) => displayOptions?.show?.[TOOL_CONDITION]?.includes(true) !== true)
    .map(({ displayOptions }) => displayOptions?.show ?? {});
  const isCommon = ([key, values]: [string, unknown]) => others.every((one) => isEqual(one[key], values));
  const common = Object.entries(first ?? {}).filter(isCommon);
  return Object.fromEntries(common.map(([key, values]) => [key.replace('/', ''), values]));
}

/** Hides the collection Options while all its options are hidden. A tool always has the option Answer Size. */
function splitByVisibleOptions(collection: ParameterDefinition): ParameterDefinition[] {
  const common = findSharedConditions(collection.options as ParameterDefinition[]);
  if (Object.keys(common ?? {}).length === 0) return [collection];
  return [addToolCondition(showWhen(collection, common), false), addToolCondition(collection, true)];
}

export function addToolConditions(parameters: ParameterDefinition[]): ParameterDefinition[] {
  const convert = (parameter: ParameterDefinition): ParameterDefinition[] => {
    const { forTools, inTools } = parameter;
    if (forTools) return [addToolCondition(parameter, forTools === 'only')];
    if (!inTools) return [parameter];
    return [addToolCondition(parameter, false), addToolCondition({ ...parameter, ...inTools }, true)];
  };
  return parameters.flatMap(convert).flatMap((parameter) => {
    if (parameter.type !== 'collection') return [parameter];
    const options = parameter.options as ParameterDefinition[];
    const isForTools = options.every(({ forTools }) => forTools === 'only');
    const collection = { ...parameter, options: options.flatMap(convert) };
    return isForTools ? [addToolCondition(collection, true)] : splitByVisibleOptions(collection);
  });
}

/**
 * Creates the expression that lets the model give the value. The comment in the expression makes n8n's editor
 * show "Defined automatically by the model". `}}` is split, because n8n ends an expression at the first two
 * closing braces, even if they are in a text.
 */
export const createFromAiDefault = (name: string, description: string, preset?: ''): string =>
  `={{ /*n8n-auto-generated-fromAI-override*/ $fromAI('${name}', \`${description.replaceAll('}}', '} }')}\`${preset === undefined ? '' : ", 'string', ''"}) }}`;

/** The sentence in descriptions about the editor's list and expressions, which a model cannot use. */
const FROM_LIST_HINT = / Choose from the list, or specify (?:an ID|IDs) using an <a [^>]*>expression<\/a>\.?/;

function toToolProperty(property: INodeProperties): INodeProperties {
  const { description, displayOptions, options } = property;
  return {
    ...property,
    ...(description && { description: description.replace(FROM_LIST_HINT, '') }),
    ...(displayOptions && {
      displayOptions: { ...displayOptions, show: omit(displayOptions.show, TOOL_CONDITION) },
    }),
    ...(property.type === 'collection' && { options: createToolProperties(options as INodeProperties[]) }),
    ...(property.type === 'fixedCollection' && {
      options: (options as INodePropertyCollection[]).map((group) => ({
        ...group,
        values: createToolProperties(group.values),
      })),
    }),
  };
}

const createToolProperties = (properties: INodeProperties[]): INodeProperties[] =>
  properties
    .filter(({ displayOptions }) => displayOptions?.show?.[TOOL_CONDITION]?.includes(false) !== true)
    .map(toToolProperty);

/**
 * Returns `usableAsTool` of a node. n8n does not evaluate `@tool` when it describes a tool to a model, so the
 * properties are selected here. n8n's types do not list `properties` as replaceable, but n8n replaces every
 * key (1.123 and 2.41).
 */
export const describeTool = (properties: INodeProperties[]): INodeTypeDescription['usableAsTool'] => ({
  replacements: { properties: createToolProperties(properties) } as object,
});
