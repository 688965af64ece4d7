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

/** The JSON inputs that people see, each with the choices of other inputs that show it. A tool has others. */
const inputs = loadActionNodes().flatMap(({ folder, properties }) =>
  properties
    .filter((property) => property.type === 'json' && isShownForPeople(property))
    .map(({ name, displayName, displayOptions: { show = {} } = {} }) => {
      const { resource, operation, ...others } = show as Record<string, string[]>;
      const choices = Object.entries(others).filter(([key]) => key !== '@tool');
      return {
        at: `${resource![0]} ${operation![0]} ${name}`,
        folder,
        name,
        label: displayName,
        shown: { resource: resource![0], operation: operation![0] },
        choices: Object.fromEntries(choices.map(([key, values]) => [key, values[0]])),
      };
    }),
);

test('there are JSON inputs of all kinds', () => {
  expect(new Set(inputs.map(({ name }) => name))).toEqual(
    new Set(['dataJson', 'filterJson', 'filterParameters']),
  );
});

let cases: ReturnType<typeof createContractCases>;
beforeAll(async () => {
  cases = createContractCases(env, await findSampleIds(env));
});

test.each(inputs)('$at', async ({ folder, name, label, shown, choices }) => {
  const { parameters } = cases.find(
    ({ type, parameters: given }) =>
      type === folder && given.resource === shown.resource && given.operation === shown.operation,
  )!;
  const before = env.service.requests.length;
  const input = { ...parameters, ...choices, [name]: DEEP };
  const { error } = await runOperation(env, folder, input, [INPUT_ITEM]);
  expect(error?.message).toMatch(/ is nested more than 100 levels deep$/);
  expect(error?.message).toContain(label);
  expect((error as { description?: string }).description).toMatch(/^Nothing was sent\./);
  expect(env.listRequests(before).filter((request) => !request.startsWith('GET'))).toEqual([]);
});
