import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import type { Operation } from '../../../nodes/n8n/operation/operation';
import { readCalledEndpoints } from '../../calledEndpoints';
import { loadActionNodes } from '../../operations';

const getValues = ({ options }: INodeProperties) =>
  (options as INodePropertyOptions[]).map(({ value }) => value);

/** Every resource with the operations in the node's form and the default operation. */
const resources = loadActionNodes().flatMap(({ folder, properties, resources: all }) =>
  all.map(({ name, operations }) => {
    const list = properties.find(
      (one) => one.name === 'operation' && one.displayOptions?.show?.resource?.includes(name),
    )!;
    return { at: `${folder} ${name}`, list, operations, chosen: list.default };
  }),
);

/** The default operations, for rules about their endpoints. */
const chosen = resources.flatMap(({ at, operations, chosen: name }) =>
  operations.filter((one) => one.name === name).map((operation) => ({ at: `${at} ${name}`, operation })),
);
const findViolations = (rule: (operation: Operation) => boolean) =>
  chosen.filter(({ operation }) => !rule(operation)).map(({ at }) => at);

/** The value picked in a locator or mapper. */
const isEmpty = (preset: unknown): boolean =>
  preset && typeof preset === 'object' && 'value' in preset ? !preset.value : preset === '';

/** n8n does not run a node while a visible required field is empty. */
function requiresInput({ parameters = [] }: Operation): boolean {
  const presets = new Map(parameters.map((one) => [one.name, one.default]));
  const isShown = ({ displayOptions }: INodeProperties) =>
    Object.entries(displayOptions?.show ?? {}).every(([name, wanted]) =>
      (wanted as unknown[]).includes(presets.get(name)),
    );
  return parameters.some((one) => one.required && isEmpty(one.default) && isShown(one));
}

test('the default resource and operation of a node exist', () => {
  expect(chosen).not.toEqual([]);
  for (const { folder, properties } of loadActionNodes()) {
    const list = properties.find(({ name }) => name === 'resource')!;
    expect([folder, getValues(list)]).toEqual([folder, expect.arrayContaining([list.default])]);
  }
  for (const { at, list, operations } of resources) {
    expect([at, getValues(list).sort()]).toEqual([at, operations.map(({ name }) => name).sort()]);
    expect([at, getValues(list)]).toEqual([at, expect.arrayContaining([list.default])]);
  }
});

test('a resource with a list operation has it as the default', () => {
  const listed = resources.filter(({ operations }) => operations.some(({ name }) => name === 'getAll'));
  expect(listed.filter((one) => one.chosen !== 'getAll').map(({ at }) => at)).toEqual([]);
});

test('a node with only default values sends no writes', () => {
  expect(findViolations((operation) => !operation.writes || requiresInput(operation))).toEqual([]);
});

test('no default operation deletes, terminates or undoes anything', () => {
  const called = readCalledEndpoints();
  const isDestructive = (operation: Operation) =>
    called
      .get(operation)!
      .some(({ method, path }) => method === 'DELETE' || /terminate|logout|unsubscribe/.test(path));
  expect(findViolations((operation) => !isDestructive(operation))).toEqual([]);
});
