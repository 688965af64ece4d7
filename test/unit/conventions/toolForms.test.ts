import { generateNodeTypeFile } from '@n8n/workflow-sdk';
import {
  type INode,
  type INodeProperties,
  type INodePropertyOptions,
  type INodeTypeDescription,
  NodeHelpers,
  resetSafeRegexEngine,
  setSafeRegexEngine,
} from 'n8n-workflow';
import { loadActionNodes } from '../../operations';

/**
 * The form of a node as the tool of an AI agent. n8n describes a node of a community package to the models that build
 * workflows by a type that it generates from all properties (`synthesizeNodeTypeDef` in n8n 2.41). A token is counted as
 * four characters; the tokenizer o200k_base counts 2 % more for these texts.
 */
const countTokens = (text: string) => text.length / 4;

type SdkDescription = Parameters<typeof generateNodeTypeFile>[0];

const nodes = loadActionNodes().map(({ folder, description }) => {
  const { replacements } = description.usableAsTool as { replacements: object };
  const tool = { ...description, name: `${description.name}Tool`, ...replacements };
  return { folder, description, tool };
});

const generate = (description: INodeTypeDescription) => generateNodeTypeFile(description as SdkDescription);

/** n8n evaluates `@tool` by the name of the description. */
const asTool = (description: INodeTypeDescription) => ({ ...description, name: `${description.name}Tool` });

// n8n ends a regular expression after 250 ms of the clock, which a busy machine exceeds. Forms use only `test`.
beforeAll(() =>
  setSafeRegexEngine({
    test: (pattern, input, flags) => new RegExp(pattern, flags).test(input),
  } as Parameters<typeof setSafeRegexEngine>[0]),
);
afterAll(resetSafeRegexEngine);

const node = { name: 'Node', type: 'node', typeVersion: 1, parameters: {} } as unknown as INode;

/** The names of the parameters that a form shows, with a picked table, page, component and template. */
function listShown(properties: INodeProperties[], choice: object, description: INodeTypeDescription) {
  const picked = { __rl: true, mode: 'id', value: 'T1' };
  const given = { ...choice, dataTableId: picked, pageId: picked, componentId: picked, templateId: picked };
  return Object.keys(NodeHelpers.getNodeParameters(properties, given, true, false, node, description) ?? {});
}

/** The operations that a form lists, each with its place. */
const listOperations = (folder: string, properties: INodeProperties[]) =>
  properties
    .filter(({ name }) => name === 'operation')
    .flatMap(({ options = [], displayOptions }) =>
      options.map((option) => {
        const choice = {
          resource: displayOptions!.show!.resource![0],
          operation: (option as { value: string }).value,
        };
        return { at: `${folder} ${choice.resource} ${choice.operation}`, choice };
      }),
    );

const operations = nodes.flatMap(({ folder, description, tool }) =>
  listOperations(folder, tool.properties).map((operation) => ({ ...operation, description, tool })),
);

test('the main node as a tool is described in at most 12,000 tokens, and every other node in fewer', () => {
  const sizes = nodes.map(({ folder, tool }) => ({ folder, tokens: countTokens(generate(tool)) }));
  expect(sizes.filter(({ tokens }) => tokens > 12_000)).toEqual([]);
  const whole = nodes.find(({ folder }) => folder === 'RecordDatabase')!;
  // Without a form of its own, the tool would be described like the node.
  expect(countTokens(generate(whole.description))).toBeGreaterThan(24_000);
});

test('the filter of a tool takes at most 1,000 tokens', () => {
  const { tool } = nodes.find(({ folder }) => folder === 'RecordDatabase')!;
  const isFilterOfCount = ({ name, displayOptions }: INodeProperties) =>
    name === 'filterJson' && displayOptions?.show?.operation?.includes('count');
  const without = { ...tool, properties: tool.properties.filter((property) => !isFilterOfCount(property)) };
  const tokens = countTokens(generate(tool)) - countTokens(generate(without));
  expect(tokens).toBeGreaterThan(50);
  expect(tokens).toBeLessThanOrEqual(1_000);
});

test('n8n shows and runs the same parameters of a tool as it describes to a model', () => {
  expect(operations.length).toBeGreaterThan(50);
  for (const { at, choice, description, tool } of operations) {
    const shown = listShown(description.properties, choice, asTool(description));
    expect([at, shown]).toEqual([at, listShown(tool.properties, choice, tool)]);
  }
});

test('a filter and a sort rule are rows in the form of a node, and one JSON input in the form of a tool', () => {
  const ROWS = ['filterMode', 'match', 'conditions', 'groups', 'sort', 'returnAll', 'simplify'];
  const readFilters = operations.filter(({ tool, choice }) =>
    listShown(tool.properties, choice, tool).includes('filterJson'),
  );
  expect(readFilters.length).toBeGreaterThan(5);
  for (const { at, choice, description, tool } of readFilters) {
    const inTool = listShown(tool.properties, choice, tool);
    expect([at, inTool.filter((name) => ROWS.includes(name))]).toEqual([at, []]);
    const inForm = listShown(description.properties, choice, description);
    expect([at, inForm]).toEqual([at, expect.arrayContaining(['filterMode'])]);
    expect([at, inForm]).toEqual([at, expect.not.arrayContaining(['sortJson'])]);
  }
});

/** All texts that the form of a tool shows. */
const listTexts = ({ displayName, description, hint, type, options = [] }: INodeProperties): string[] => [
  displayName,
  description ?? '',
  hint ?? '',
  ...(type.endsWith('ollection')
    ? collectRows(options).flatMap(listTexts)
    : (options as INodePropertyOptions[]).flatMap((one) => [one.name, one.description ?? ''])),
];

/** The inputs of a collection, or those in its rows. */
const collectRows = (options: NonNullable<INodeProperties['options']>): INodeProperties[] =>
  options.flatMap((one) => ('values' in one ? one.values : [one as INodeProperties]));

test('the form of a tool speaks of nothing that a tool lacks: an input, items to take from it, files, a place to drag from', () => {
  const lacking =
    /\bdrag\b|\binput\b|\b(?:each|all|per) items?\b|\bthe items?\b|Map Automatically|\bbinary\b/i;
  const texts = nodes.flatMap(({ folder, tool }) =>
    tool.properties.flatMap(listTexts).map((text) => `${folder}: ${text}`),
  );
  expect(texts.length).toBeGreaterThan(500);
  expect([...new Set(texts)].filter((text) => lacking.test(text))).toEqual([]);
});

test('a tool that works with one record is given its ID by the model', () => {
  const pickers = nodes.flatMap(({ tool }) =>
    tool.properties.filter(({ name, required }) => name === 'recordId' && required === true),
  );
  expect(pickers.length).toBeGreaterThan(3);
  expect(pickers.map((picker) => picker.default)).toEqual(
    pickers.map(() => ({ mode: 'id', value: expect.stringContaining("$fromAI('recordId'") })),
  );
});

test('a tool offers no operation that takes all input items at once', () => {
  const offered = new Set(operations.map(({ at }) => at));
  const left = nodes
    .flatMap(({ folder, description }) => listOperations(folder, description.properties))
    .map(({ at }) => at)
    .filter((at) => !offered.has(at));
  expect(left).toEqual([
    'RecordDatabase record sync',
    'RecordDatabase record undo',
    'RecordDatabaseImportExport import runItems',
  ]);
});

test('no expression for a model ends early: n8n ends it at the first two closing braces', () => {
  const fromModel = nodes
    .flatMap(({ tool }) => tool.properties.map(({ default: preset }) => preset))
    .filter((preset): preset is string => typeof preset === 'string' && preset.includes('$fromAI'));
  expect(fromModel.length).toBeGreaterThan(10);
  expect(fromModel.filter((preset) => preset.indexOf('}}') !== preset.length - 2)).toEqual([]);
});
