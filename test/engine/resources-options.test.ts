import { NodeHelpers, type INode, type INodeParameters } from 'n8n-workflow';
import { node } from '../harness';
import { typeOf } from './cases';
import { World } from './support';

/** Which options of a run n8n shows: those that do nothing there are not. */

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());

/** What is in the form's "Options" once all of them were added, by n8n's own reading of it, but for groups of fields. */
function optionsOf(parameters: INodeParameters): string[] {
  const json = node('Node', typeOf('RecordDatabaseImportExport'), { operation: 'run', ...parameters });
  const { description } = world.engine.nodeTypes.getByNameAndVersion(json.type);
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
  ['ifFails', 'maximumWait'],
  ['maximumSize', 'outputField'],
];

test.each<[INodeParameters, string[]]>([
  [{ resource: 'import' }, ['fileField']],
  [{ resource: 'import', source: 'dataSource' }, ['dataSourceField']],
  [{ resource: 'import', source: '={{ $json.source }}' }, ['dataSourceField', 'fileField']],
  [{ resource: 'import', wait: true }, ['fileField', ...WAIT]],
  [{ resource: 'export' }, []],
  [{ resource: 'export', download: true }, []],
  [{ resource: 'export', wait: true }, WAIT],
  [{ resource: 'export', wait: true, download: true }, [...WAIT, ...FILE]],
])('%j shows %j', (parameters, options) => expect(optionsOf(parameters)).toEqual([...options].sort()));
