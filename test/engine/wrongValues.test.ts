import { type INode, type INodeParameters, type INodeProperties, NodeHelpers } from 'n8n-workflow';
import { skipWaits } from '../environment/skipWaits';
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

skipWaits();

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

test('a wrong choice, number or switch of a form that writes is an error before any request', async () => {
  const random = new Random(createSeed());
  const cases = createContractCases(env, await findSampleIds(env));
  const accepted: string[] = [];
  let count = 0;
  for (const { name, type, operation, parameters: given } of cases) {
    if (!operation.writes) continue;
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
  expect(count).toBeGreaterThan(100);
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
    expect(error?.message).toMatch(/^Fields cannot be/);
    expect(env.listRequests(before).filter((request) => request.startsWith('POST'))).toEqual([]);
  }
});

test('n8n removes parameters and options that the form lacks before the node runs, so the node cannot report them', () => {
  const [unknown, known] = [{ simplfy: true }, { resource: 'record', operation: 'update' }];
  const select = (options: unknown) => {
    const json = createNode('Node', toNodeType('RecordDatabase'), { ...known, ...unknown, options });
    return selectSavedParameters(env, json as unknown as INode).options;
  };
  expect(select({ ...unknown, formulas: [] })).toEqual({ formulas: [] });
  expect(select('={{ ({ formulas: [] }) }}')).toEqual({});
});

describe('operations that run once for all items', () => {
  /** Runs an operation on three items, of which the last one has another value for the expression. */
  async function runWithLater(type: string, parameters: Parameters, [first, later]: [unknown, unknown]) {
    const before = env.service.requests.length;
    const input = [first, first, later].map((value, n) => ({ json: { company: `C${n}`, value } }));
    const { error } = await runOperation(env, type, parameters, input);
    return { message: error?.message, sent: env.listRequests(before) };
  }

  const VALUE = '={{ $json.value }}';
  const createSync = (more: Parameters): Parameters => ({
    resource: 'record',
    operation: 'sync',
    dataTableId: toLocator(env.getTable('Customers').id),
    columns: {
      mappingMode: 'defineBelow',
      value: { company: '={{ $json.company }}' },
      matchingColumns: ['company'],
    },
    ...more,
  });

  test('an option of single records may differ between items', async () => {
    const parameters = createSync({ options: { formulas: VALUE, dryRun: true } });
    expect(await runWithLater('RecordDatabase', parameters, [['runFormulasOn'], []])).toMatchObject({
      message: undefined,
    });
  });

  const OF_RUN: Array<[label: string, more: Parameters, first: unknown, later: unknown]> = [
    ['Delete Missing Records', { deleteMissing: VALUE }, true, false],
    ['Dry Run', { options: { dryRun: VALUE } }, true, false],
    ['Maximum Changes', { options: { maximumChanges: VALUE } }, 3, 2],
    ['Output', { output: VALUE }, 'changes', 'summary'],
    ['Table', { dataTableId: toLocator(VALUE) }, 'first', 'other'],
  ];

  test.each(OF_RUN)('%s must be the same for all items', async (label, more, ...values) => {
    const { message, sent } = await runWithLater('RecordDatabase', createSync(more), values);
    const [first, later] = values.map((value) => JSON.stringify(value));
    expect(message).toBe(`${label}: item 3 has ${later}, but the first item has ${first}`);
    expect(sent).toEqual([]);
  });

  test.each<[string, Parameters]>([
    ['Import Template', { importId: toLocator(VALUE) }],
    ['List Separator', { importId: toLocator('x'), options: { listSeparator: VALUE } }],
  ])('%s of an import of items must be the same for all items', async (label, more) => {
    const parameters = { resource: 'import', operation: 'runItems', ...more };
    const { message, sent } = await runWithLater('RecordDatabaseImportExport', parameters, ['a', 'b']);
    expect(message).toBe(`${label}: item 3 has "b", but the first item has "a"`);
    expect(sent).toEqual([]);
  });
});
