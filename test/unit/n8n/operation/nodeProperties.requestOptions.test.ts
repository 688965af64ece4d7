import type { IExecuteFunctions } from 'n8n-workflow';
import {
  parseEditorTimeout,
  readRequestOptions,
  withRequestOptions,
} from '../../../../nodes/n8n/operation/nodeProperties';
import { defineParameter } from '../../../../nodes/n8n/parameters/parameter';

const page = defineParameter({ displayName: 'Page', name: 'page', type: 'number', default: 1 });
const sort = defineParameter({ displayName: 'Sort', name: 'sort', type: 'string', default: '' });
const collection = { displayName: 'Options', name: 'options', type: 'collection', default: {} } as const;

const listNames = (parameters: ReturnType<typeof withRequestOptions>) =>
  parameters.map(({ name, options }) =>
    name === 'options' ? options?.map((option) => (option as { name: string }).name) : name,
  );

test('an operation without options gets those of the requests, after its parameters', () => {
  expect(listNames(withRequestOptions([page]))).toEqual(['page', ['parallel', 'timeout']]);
});

test('the options of an operation and of its requests are one list, in the order of their labels', () => {
  const own = { ...collection, options: [sort] };
  expect(listNames(withRequestOptions([own, page]))).toEqual(['page', ['parallel', 'timeout', 'sort']]);
});

/** What n8n gives an execution: the parameter `options` with the options that the user added. */
const createContext = (options: object) =>
  ({
    getNode: () => ({ name: 'Node', type: 'node', typeVersion: 1, parameters: { options } }),
    getNodeParameter: (name: string, _index: number, fallback: unknown) =>
      name === 'options' ? options : fallback,
  }) as unknown as IExecuteFunctions;

test('a timeout in seconds is read in milliseconds', () => {
  expect(readRequestOptions(createContext({ parallel: 3, timeout: 0.5 }))).toEqual({
    concurrency: 3,
    timeout: 500,
  });
});

test('a timeout that no timer can wait for is the longest of a timer', () => {
  expect(readRequestOptions(createContext({ timeout: 1e9 })).timeout).toBe(2_147_483_647);
});

test('options that were not added have no value', () => {
  expect(readRequestOptions(createContext({})).timeout).toBeUndefined();
});

test.each([
  [{ timeout: 2 }, 2000],
  [{ timeout: '1.5' }, 1500],
  [{ timeout: 0 }, undefined],
  [{ timeout: '={{ $json.seconds }}' }, undefined],
  [{}, undefined],
  [undefined, undefined],
])('in the editor, the timeout of %j is %p ms', (options, expected) => {
  expect(parseEditorTimeout(options)).toBe(expected);
});
