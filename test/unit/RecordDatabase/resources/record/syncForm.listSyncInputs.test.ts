import { type IExecuteFunctions, sleep } from 'n8n-workflow';
import { Items } from '../../../../../nodes/n8n/operation/item';
import { listSyncInputs } from '../../../../../nodes/RecordDatabase/resources/record/syncForm';
import { type PayloadEntries, Table } from '../../../../../nodes/records';
import { parseField } from '../../../records/fields/fieldTools';

const table = new Table(
  't1',
  ['key', 'city'].map((slug) => parseField({ slug, name: slug, type: 'Text' })),
);

const PARAMETERS: Record<string, unknown> = {
  columns: { mappingMode: 'autoMapInputData', value: null, matchingColumns: ['key'] },
};

/** Reads many items with automatic mapping. Every third one has no city. */
async function readMany(onOpen?: (cancelling: AbortController) => void) {
  const cancelling = new AbortController();
  const context = {
    getNode: () => ({ name: 'Node', parameters: {} }),
    getNodeParameter: (name: string, _: number, fallback: unknown) => PARAMETERS[name] ?? fallback,
    getTimezone: () => 'UTC',
    getInputData: () => [],
    getCredentials: async () => ({ baseUrl: 'https://service.example', userLogin: 'none' }),
    getExecutionCancelSignal: () => cancelling.signal,
  } as unknown as IExecuteFunctions;
  const inputs = Array.from({ length: 1_000 }, (_, index) => ({
    json: { key: `k${index}`, ...(index % 3 !== 0 && { city: `City ${index}` }) },
  }));
  const items = new Items(context, inputs);
  await items.ensureOneClient();
  onOpen?.(cancelling);
  const entries: PayloadEntries[] = [];
  for await (const { read } of listSyncInputs(items, table)) entries.push((await read()).entries);
  return entries;
}

test('each item keeps its own values', async () => {
  const inputs = await readMany();
  expect(inputs).toHaveLength(1_000);
  expect(inputs[3]).toEqual([['key', 'k3']]);
  expect(inputs[4]).toEqual([
    ['key', 'k4'],
    ['city', 'City 4'],
  ]);
});

test('n8n can do other work while many items are read', async () => {
  let hasWorked = false;
  void sleep(0).then(() => (hasWorked = true));
  await readMany();
  expect(hasWorked).toBe(true);
});

test('a cancelled run reads no further items', async () => {
  const stopLater = (cancelling: AbortController) => void sleep(0).then(() => cancelling.abort());
  await expect(readMany(stopLater)).rejects.toMatchObject({ code: 'cancelled' });
});
