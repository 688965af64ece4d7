import type { INodeProperties } from 'n8n-workflow';
import { skipWaits } from '../../environment/skipWaits';
import { loadActionNodes } from '../../operations';
import { createContractCases, findSampleIds, INPUT_ITEM, runOperation } from '../support/runOperation';
import { useTestEnvironment } from '../support/useTestEnvironment';

/** JSON that is nested deeper than the stack of the JavaScript engine allows, in each JSON input of each operation. */

skipWaits();
const env = useTestEnvironment();

/** 5,000 objects in one another, as text. */
const DEEP = '{"and":'.repeat(5_000) + '{}' + '}'.repeat(5_000);

const isShownForPeople = ({ displayOptions }: INodeProperties) =>
  !displayOptions?.show?.['@tool']?.includes(true);

const isJson = (property: INodeProperties) => property.type === 'json' && isShownForPeople(property);

/** The JSON inputs of a form and of its options, each with all conditions under which it is shown. */
const listJsonInputs = (properties: INodeProperties[]) =>
  properties.flatMap((property) => {
    const show = property.displayOptions?.show ?? {};
    if (property.type !== 'collection')
      return isJson(property) ? [{ ...property, show, isOption: false }] : [];
    const options = property.options as INodeProperties[];
    return options
      .filter((option) => isJson(option) && isShownForPeople(property))
      .map((option) => ({ ...option, show: { ...show, ...option.displayOptions?.show }, isOption: true }));
  });

/** The JSON inputs that people see, each with the choices of other inputs that show it. A tool has others. */
const inputs = loadActionNodes().flatMap(({ folder, properties }) =>
  listJsonInputs(properties).map(({ name, displayName, show, isOption }) => {
    const { resource, operation, ...others } = show as Record<string, string[]>;
    const choices = Object.entries(others).filter(([key]) => key !== '@tool');
    return {
      at: `${resource![0]} ${operation![0]} ${name}`,
      folder,
      label: displayName,
      shown: { resource: resource![0], operation: operation![0] },
      given: isOption ? { options: { [name]: DEEP } } : { [name]: DEEP },
      choices: Object.fromEntries(choices.map(([key, values]) => [key.replace('/', ''), values[0]])),
    };
  }),
);

test('there are JSON inputs of all kinds', () => {
  expect(new Set(inputs.map(({ at }) => at.split(' ')[2]))).toEqual(
    new Set(['dataJson', 'filterJson', 'filterParameters']),
  );
});

let cases: ReturnType<typeof createContractCases>;
beforeAll(async () => {
  cases = createContractCases(env, await findSampleIds(env));
});

test.each(inputs)('$at', async ({ folder, label, shown, given, choices }) => {
  const { parameters } = cases.find(
    ({ type, parameters: { resource, operation } }) =>
      type === folder && resource === shown.resource && operation === shown.operation,
  )!;
  const before = env.service.requests.length;
  const input = { ...parameters, ...choices, ...given };
  const { error } = await runOperation(env, folder, input, [INPUT_ITEM]);
  expect(error?.message).toMatch(/ is nested more than 100 levels deep$/);
  expect(error?.message).toContain(label);
  expect((error as { description?: string }).description).toMatch(/^Nothing was sent\./);
  expect(env.listRequests(before).filter((request) => !request.startsWith('GET'))).toEqual([]);
});
