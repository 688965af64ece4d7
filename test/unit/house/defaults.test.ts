import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import type { Operation } from '../../../nodes/shared/kit/operation';
import { actionNodes } from '../../operations';

const valuesOf = ({ options }: INodeProperties) =>
  (options as INodePropertyOptions[]).map(({ value }) => value);

/** Every resource with its list of operations in the node's form, and the operation that is chosen there. */
const resources = actionNodes().flatMap(({ folder, properties, resources: all }) =>
  all.map(({ name, operations }) => {
    const list = properties.find(
      (one) => one.name === 'operation' && one.displayOptions?.show?.resource?.includes(name),
    )!;
    return { at: `${folder} ${name}`, list, operations, chosen: list.default };
  }),
);

/** The operations that are chosen, for rules about what they do. */
const chosen = resources.flatMap(({ at, operations, chosen: name }) =>
  operations.filter((one) => one.name === name).map((operation) => ({ at: `${at} ${name}`, operation })),
);
const breaking = (rule: (operation: Operation) => boolean) =>
  chosen.filter(({ operation }) => !rule(operation)).map(({ at }) => at);

const readsOnly = ({ endpoints }: Operation) => endpoints.every(({ effect }) => effect === 'read');

/** Of a locator or mapper, what is picked in it. */
const isEmpty = (preset: unknown): boolean =>
  preset && typeof preset === 'object' && 'value' in preset ? !preset.value : preset === '';

/** n8n runs nothing while a required field that is shown is empty. */
function asksFirst({ parameters = [] }: Operation): boolean {
  const presets = new Map(parameters.map((one) => [one.name, one.default]));
  const isShown = ({ displayOptions }: INodeProperties) =>
    Object.entries(displayOptions?.show ?? {}).every(([name, wanted]) =>
      (wanted as unknown[]).includes(presets.get(name)),
    );
  return parameters.some((one) => one.required && isEmpty(one.default) && isShown(one));
}

test('the resource and the operation that a new node begins with are among those it has', () => {
  expect(chosen).not.toEqual([]);
  for (const { folder, properties } of actionNodes()) {
    const list = properties.find(({ name }) => name === 'resource')!;
    expect([folder, valuesOf(list)]).toEqual([folder, expect.arrayContaining([list.default])]);
  }
  for (const { at, list, operations } of resources) {
    expect([at, valuesOf(list).sort()]).toEqual([at, operations.map(({ name }) => name).sort()]);
    expect([at, valuesOf(list)]).toEqual([at, expect.arrayContaining([list.default])]);
  }
});

test('what has a list begins with it', () => {
  const listed = resources.filter(({ operations }) => operations.some(({ name }) => name === 'getAll'));
  expect(listed.filter((one) => one.chosen !== 'getAll').map(({ at }) => at)).toEqual([]);
});

test('a new node only reads before it was told what to work on', () => {
  expect(breaking((operation) => readsOnly(operation) || asksFirst(operation))).toEqual([]);
});

test('no new node deletes, ends or undoes anything, whatever it is told to work on', () => {
  const takesAway = ({ endpoints }: Operation) =>
    endpoints.some(({ method, path }) => method === 'DELETE' || /terminate|logout|unsubscribe/.test(path));
  expect(breaking((operation) => !takesAway(operation))).toEqual([]);
});
