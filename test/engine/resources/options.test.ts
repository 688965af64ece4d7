import { type INode, type INodeParameters, NodeHelpers } from 'n8n-workflow';
import { createNode } from '../../harness';
import { toNodeType } from '../support/runOperation';
import { TestEnvironment } from '../support/testEnvironment';

/** The options of a run that n8n shows. Options without an effect are hidden. */

let env: TestEnvironment;
beforeAll(async () => {
  env = await TestEnvironment.start();
});
afterAll(() => env.stop());

/** The entries of "Options" after all were added, as n8n reads them, without groups of fields. */
function listOptions(parameters: INodeParameters): string[] {
  const json = createNode('Node', toNodeType('RecordDatabaseImportExport'), {
    operation: 'run',
    ...parameters,
  });
  const { description } = env.engine.nodeTypes.getByNameAndVersion(json.type);
  const { properties } = description;
  const all = properties
    .filter(({ name }) => name === 'options')
    .flatMap(({ options = [] }) => options)
    .map(({ name }) => [name, 'given'] as const);
  const given = { ...json.parameters, options: Object.fromEntries(all) } as INodeParameters;
  const shown = NodeHelpers.getNodeParameters(
    properties,
    given,
    false,
    false,
    json as unknown as INode,
    description,
  );
  return Object.keys((shown?.options ?? {}) as object).sort();
}

const [WAIT, FILE] = [
  ['ifFails', 'ifTimeRunsOut', 'maximumWait'],
  ['maximumSize', 'outputField'],
] as const;

test.each<[INodeParameters, readonly string[]]>([
  // A run waits for its end by default.
  [{ resource: 'import' }, WAIT],
  [{ resource: 'import', wait: false }, []],
  [{ resource: 'export' }, ['columns', ...WAIT, ...FILE]],
  [{ resource: 'export', wait: false }, ['columns']],
  [{ resource: 'export', download: false }, ['columns', ...WAIT]],
])('%j shows %j', (parameters, options) => expect(listOptions(parameters)).toEqual([...options].sort()));
