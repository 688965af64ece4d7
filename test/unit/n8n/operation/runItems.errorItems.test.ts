import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { Items } from '../../../../nodes/n8n/operation/item';
import { createErrorItems } from '../../../../nodes/n8n/operation/runItems';
import { ApiError } from '../../../../nodes/service';

const failed = new ApiError({ message: 'Failed', description: 'Try again', details: { recordId: 'abc' } });

const AT = '2025-01-01T00:00:00.000Z';

async function createErrorItem(onError: string, thrown: ApiError, input: INodeExecutionData) {
  const context = {
    getNode: () => ({ name: 'Node', parameters: {}, onError }),
    getExecutionCancelSignal: () => undefined,
    getTimezone: () => 'UTC',
  } as unknown as IExecuteFunctions;
  const [item] = await createErrorItems(new Items(context, [input]), thrown, [0]);
  return item!;
}

/** The rule by which n8n up to 2.20 sends an item to the error output. */
function isErrorInEarlierN8n({ error, json }: INodeExecutionData): boolean {
  const count = Object.keys(json).length;
  return Boolean(error ?? (json.error && (count === 1 || (json.message !== undefined && count === 2))));
}

test.each([
  ['with details', failed, { json: {} }],
  ['with details, for an item with a message', failed, { json: { message: 'own' } }],
  ['without details', new ApiError({ message: 'Failed', description: 'Try again' }), { json: {} }],
  ['with a time', new ApiError({ message: 'Failed', description: '', retryAt: AT }), { json: {} }],
  ['without a remedy', new ApiError({ message: 'Failed', description: '' }), { json: {} }],
])('all releases of n8n send an error item %s to the error output', async (_, thrown, input) => {
  const item = await createErrorItem('continueErrorOutput', thrown, input);
  expect(isErrorInEarlierN8n(item)).toBe(true);
  // n8n copies the item. A property `error` in the copy would replace its JSON.
  expect(Object.keys({ ...item })).toEqual(['json', 'pairedItem']);
});

test('an error item that continues on the regular output keeps its JSON', async () => {
  const item = await createErrorItem('continueRegularOutput', failed, { json: {} });
  expect(item.error).toBeUndefined();
  expect(item.json).toEqual({ error: 'Failed', message: 'Try again', details: { recordId: 'abc' } });
});
