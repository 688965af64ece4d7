import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import type { AllItemsHandler, Resource } from '../../../../nodes/n8n/operation/operation';
import { runItems } from '../../../../nodes/n8n/operation/runItems';
import { InputError } from '../../../../nodes/service';
import { FakeN8n, createOkAnswer } from '../../service/http/fakeN8n';

const PARAMETERS: Record<string, unknown> = { resource: 'list', operation: 'all', options: {} };

const createContext = (inputs: INodeExecutionData[], continuesOnFail = false) =>
  ({
    ...new FakeN8n(() => createOkAnswer()).context,
    getNode: () => ({ name: 'Node', parameters: {} }),
    getNodeParameter: (name: string) => PARAMETERS[name],
    getInputData: () => inputs,
    continueOnFail: () => continuesOnFail,
  }) as unknown as IExecuteFunctions;

/** Runs an operation over all items on the given input. */
async function runAllOn(
  inputs: INodeExecutionData[],
  runAll: AllItemsHandler,
  continuesOnFail = false,
): Promise<INodeExecutionData[]> {
  const resource: Resource = {
    name: 'list',
    displayName: 'List',
    operations: [{ name: 'all', displayName: 'All', action: 'All', description: 'All', runAll }],
  };
  const [items] = await runItems(createContext(inputs, continuesOnFail), [resource]);
  return items!;
}

const INPUTS = [{ json: { n: 0 } }, { json: { n: 1, message: 'own' } }, { json: { n: 2 } }];

test('the operation runs once and its results are paired with the input items that they name', async () => {
  let runs = 0;
  const items = await runAllOn(INPUTS, (all) => {
    runs++;
    return Promise.resolve([
      {
        json: { sum: [...all].reduce((sum, { input }) => sum + Number(input.json.n), 0) },
        itemIndexes: [0, 1, 2],
      },
      { json: { last: true }, itemIndexes: [2] },
      { json: { ofNone: true } },
    ]);
  });
  expect(runs).toBe(1);
  expect(items).toEqual([
    { json: { sum: 3 }, pairedItem: [{ item: 0 }, { item: 1 }, { item: 2 }] },
    { json: { last: true }, pairedItem: { item: 2 } },
    { json: { ofNone: true }, pairedItem: [] },
  ]);
});

test('an operation that the node does not have is an error that names it', async () => {
  await expect(runItems(createContext(INPUTS), [])).rejects.toMatchObject({
    message: 'There is no operation "all" on "list"',
    description: 'Choose the resource and the operation from the lists.',
  });
});

test('without input items the operation does not run', async () => {
  expect(await runAllOn([], () => Promise.reject(new Error('it ran')))).toEqual([]);
});

const failInPart: AllItemsHandler = () =>
  Promise.resolve([
    { json: { done: 0 }, itemIndexes: [0] },
    { error: new InputError('Refused', 'Correct it.'), itemIndexes: [1, 2] },
    { error: new InputError('Refused too', 'Correct it.') },
  ]);

test('with Continue On Fail a failure becomes an error item for each of its input items', async () => {
  expect(await runAllOn(INPUTS, failInPart, true)).toEqual([
    { json: { done: 0 }, pairedItem: { item: 0 } },
    { json: { error: 'Refused', message: 'Correct it.' }, pairedItem: { item: 1 } },
    { json: { error: 'Refused', message: 'Correct it.' }, pairedItem: { item: 2 } },
    { json: { error: 'Refused too', message: 'Correct it.' }, pairedItem: [] },
  ]);
});

test('without Continue On Fail the first failure is thrown', async () => {
  await expect(runAllOn(INPUTS, failInPart)).rejects.toMatchObject({
    message: 'Items 2 to 3 of 3: Refused',
    description: 'Correct it.',
  });
});

test('a thrown error fails every input item with Continue On Fail, and is thrown otherwise', async () => {
  const refuse = () => Promise.reject(new InputError('Nothing was sent', 'Correct it.'));
  const items = await runAllOn(INPUTS, refuse, true);
  expect(items.map(({ json, pairedItem }) => [json.error, pairedItem])).toEqual(
    [0, 1, 2].map((item) => ['Nothing was sent', { item }]),
  );
  await expect(runAllOn(INPUTS, refuse)).rejects.toThrow('Nothing was sent');
});
