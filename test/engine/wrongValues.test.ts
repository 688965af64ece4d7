import { type INode, type INodeParameters, type INodeProperties, NodeHelpers } from 'n8n-workflow';
import { createNode } from '../harness';
import { createSeed } from '../randomness';
import { Random } from '../service/state/random';
import { selectSavedParameters } from '../workflows/storedWorkflows';
import { createObject, withNeededObject } from './support/neededObjects';
import {
  createContractCases,
  findSampleIds,
  INPUT_ITEM,
  runOperation,
  toNodeType,
} from './support/runOperation';
import { toLocator } from './support/testEnvironment';
import { useTestEnvironment } from './support/useTestEnvironment';

/** Values that a form does not offer, in workflows written by hand, by an AI model or by another version. */

const env = useTestEnvironment();

const WRONG: Partial<Record<INodeProperties['type'], unknown[]>> = {
  boolean: ['maybe', 7, null, {}],
  number: ['abc', '', null, -5, {}],
  options: ['nope', '', null, 7],
};

type Parameters = Record<string, unknown>;

/** A choice, number or switch of a form, and how the node's parameters get a value for it. */
interface Place {
  property: INodeProperties;
  fill: (value: unknown) => Parameters;
}

/** Choices, numbers and switches that n8n shows for these parameters. Lists of the service can have any value. */
function listPlaces(folder: string, parameters: Parameters): Place[] {
  const json = createNode('Node', toNodeType(folder), parameters);
  const { description } = env.engine.nodeTypes.getByNameAndVersion(json.type);
  const complete = (given: Parameters) =>
    NodeHelpers.getNodeParameters(
      description.properties,
      given as INodeParameters,
      true,
      false,
      json as unknown as INode,
      description,
    ) as Parameters;
  const shown = complete(parameters);
  const isShown = (property: INodeProperties) =>
    NodeHelpers.displayParameter(shown as INodeParameters, property, json as unknown as INode, description);
  const places = description.properties.filter(isShown).flatMap((property): Place[] => {
    if (property.name !== 'options') {
      return [{ property, fill: (value) => ({ ...parameters, [property.name]: value }) }];
    }
    return (property.options as INodeProperties[]).map((option) => ({
      property: option,
      fill: (value) => ({
        ...parameters,
        options: { ...(parameters.options as object), [option.name]: value },
      }),
    }));
  });
  return places.filter(
    ({ property: { name, type, typeOptions, ...property }, fill }) =>
      !['resource', 'operation'].includes(name) &&
      type in WRONG &&
      !typeOptions?.loadOptionsMethod &&
      (name in parameters || name in shown || name in (complete(fill(property.default)).options as object)),
  );
}

test('a wrong choice, number or switch is an error before any request', async () => {
  const random = new Random(createSeed());
  const cases = createContractCases(env, await findSampleIds(env));
  const accepted: string[] = [];
  let count = 0;
  for (const { name, type, parameters: given } of cases) {
    const parameters = await withNeededObject(given, (object) => createObject(env, object));
    for (const { property, fill } of listPlaces(type, parameters)) {
      const value = random.pick(WRONG[property.type]!);
      const before = env.service.requests.length;
      const { error } = await runOperation(env, type, fill(value), [INPUT_ITEM]);
      const { message = 'success' } = error ?? {};
      const sent = env.listRequests(before);
      count++;
      if (!message.startsWith(`${property.displayName} cannot be`) || sent.length > 0)
        accepted.push(`${name} ${property.name} ${JSON.stringify(value)}: ${message} (${sent.join()})`);
    }
  }
  expect(accepted).toEqual([]);
  expect(count).toBeGreaterThan(300);
});

test.each<[string, unknown]>([
  ['an expression for the whole mapping', '={{ ({ company: "Mill" }) }}'],
  ['values without the key "value"', { company: 'Mill' }],
  ['a misspelled key for the values', { mappingMode: 'defineBelow', values: { company: 'Mill' } }],
  ['no values', {}],
  ['a wrong mode', { mappingMode: 'auto', value: { company: 'Mill' } }],
])('a mapping that the editor does not store is an error: %s', async (_, columns) => {
  const products = env.getTable('Products');
  const recordId = [...products.records.keys()][0]!;
  for (const operation of ['create', 'update', 'upsert']) {
    const parameters = {
      resource: 'record',
      operation,
      dataTableId: toLocator(products.id),
      recordId,
      columns,
    };
    const before = env.service.requests.length;
    const { error } = await runOperation(env, 'RecordDatabase', parameters);
    expect(error?.message).toMatch(/^Columns cannot be/);
    expect(env.listRequests(before).filter((request) => request.startsWith('POST'))).toEqual([]);
  }
});

test('n8n removes parameters and options that the form lacks before the node runs, so the node cannot report them', () => {
  const [unknown, known] = [{ simplfy: true }, { resource: 'record', operation: 'update' }];
  const select = (options: unknown) => {
    const json = createNode('Node', toNodeType('RecordDatabase'), { ...known, ...unknown, options });
    return selectSavedParameters(env, json as unknown as INode).options;
  };
  expect(select({ ...unknown, runFormulas: true })).toEqual({ runFormulas: true });
  expect(select('={{ ({ runFormulas: true }) }}')).toEqual({});
});

test('a text option whose expression finds nothing is an error before any request', async () => {
  const template = { templateId: toLocator('x1'), options: { outputField: '={{ $json.nothing }}' } };
  const parameters = { resource: 'export', operation: 'run', ...template };
  const before = env.service.requests.length;
  const { error } = await runOperation(env, 'RecordDatabaseImportExport', parameters);
  expect(error?.message).toBe('Put Output File in Field: the expression has found nothing');
  expect(env.listRequests(before)).toEqual([]);
});
