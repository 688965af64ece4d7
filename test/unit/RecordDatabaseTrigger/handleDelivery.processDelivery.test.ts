/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not shipped: runs on Node */
import type { IWebhookFunctions } from 'n8n-workflow';
import type { DeliveryFacts } from '../../../nodes/RecordDatabaseTrigger/decide';
import {
  createDeliveryClient,
  failAtDeadline,
  processDelivery,
  addDeliveryToError,
} from '../../../nodes/RecordDatabaseTrigger/handleDelivery';
import { LastValues, LastDeliveries } from '../../../nodes/RecordDatabaseTrigger/staticData';
import { ApiError, InputError } from '../../../nodes/service';
import { FakeN8n, type FakeAnswer, createErrorAnswer, createOkAnswer } from '../service/http/fakeN8n';

/** Keys of each item, before those of the record. */
const EVENT = { _event: 'UPDATE', _table: 't1' };

const createDelivery = (
  recordId: string,
  more: Partial<DeliveryFacts['parameters']> = {},
): Pick<DeliveryFacts, 'delivery' | 'parameters' | 'memory'> => ({
  delivery: {
    event: 'UPDATE',
    tableId: 't1',
    tableName: 't1',
    recordId,
    record: { id: recordId },
    timestamp: '',
    receivedAt: 0,
  },
  parameters: {
    tableIds: ['t1'],
    events: ['UPDATE'],
    output: 'record',
    columns: [],
    connectedFields: [],
    changedFields: [],
    timeZone: 'utc',
    startBy: 'subscription',
    displayNames: false,
    fullRecord: true,
    ignoreDuplicates: false,
    startWithoutEarlierValues: true,
    ...more,
  },
  memory: { lastDeliveries: new LastDeliveries(), lastValues: new LastValues(), tables: new Map() },
});

/** A delivery to a pasted address: its record must exist. */
const createUnverified = (recordId: string) => createDelivery(recordId, { startBy: 'address' });

const createClient = (n8n: FakeN8n) => createDeliveryClient(n8n.context as unknown as IWebhookFunctions);

const processBy = async (n8n: FakeN8n, known: ReturnType<typeof createDelivery>) =>
  processDelivery(await createClient(n8n), known, () => undefined);

/** A service with a table of one field, which answers to the requests for records. */
const createService = (answer: (url: string) => FakeAnswer) =>
  new FakeN8n(({ url }) =>
    url.endsWith('/full-fields-info')
      ? createOkAnswer({ items: [{ id: 'f1', slug: 'full', name: 'Full', type: 'Text' }] })
      : answer(url),
  );

test('250 deliveries at once are all read', async () => {
  const n8n = createService((url) => createOkAnswer({ item: { id: url.split('/').at(-1), full: 'yes' } }));
  const decisions = await Promise.all(
    Array.from({ length: 250 }, (_, n) => processBy(n8n, createDelivery(`r${n}`))),
  );
  expect(decisions).toEqual(
    decisions.map((_, n) =>
      expect.objectContaining({ item: expect.objectContaining({ id: `r${n}`, full: 'yes' }) as object }),
    ),
  );
});

test('the deadline ends the wait of a limited request: the workflow starts without the full record', async () => {
  const deadline = new AbortController();
  const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(deadline.signal);
  const n8n = createService(() => {
    deadline.abort();
    return { ...createErrorAnswer(429, 'Too many requests'), headers: { 'x-retry-after': '2' } };
  });
  const decision = await processBy(n8n, createDelivery('r1'));
  expect(timeout).toHaveBeenCalledWith(8_000);
  timeout.mockRestore();
  expect(decision).toMatchObject({ status: 200, item: { _notChecked: ['fullRecord'] } });
  expect(n8n.sent).toHaveLength(2);
});

test('nothing is read after the deadline', async () => {
  const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(AbortSignal.abort());
  const client = await createClient(new FakeN8n(() => createOkAnswer()));
  timeout.mockRestore();
  const use = jest.fn(async () => undefined);
  await expect(failAtDeadline(client, use)).rejects.toThrow('could not be read within 8 seconds');
  await new Promise((resolve) => setImmediate(resolve));
  expect(use).not.toHaveBeenCalled();
});

test('fields that cannot be read only leave the record as it was delivered', async () => {
  const n8n = new FakeN8n(() => createErrorAnswer(403, 'No'));
  const options = { fullRecord: false };
  expect(await processBy(n8n, createDelivery('r1', options))).toMatchObject({
    status: 200,
    item: { ...EVENT, id: 'r1', _notChecked: ['fields'] },
  });
  const named = createDelivery('r1', { ...options, columns: ['company'] });
  await expect(processBy(n8n, named)).rejects.toThrow();
});

test("a 404 of the service means not found; a proxy's 404 is a failure", async () => {
  const gone = createService(() => createErrorAnswer(404, 'Record Not Found'));
  const missing = await processBy(gone, createUnverified('r1'));
  expect(missing).toMatchObject({ status: 410 });
  const proxy = createService(() => ({ statusCode: 404, headers: {}, body: '<html>Not Found</html>' }));
  await expect(processBy(proxy, createUnverified('r1'))).rejects.toThrow();
});

test('an error of a delivery names the event, the record and the table', () => {
  const { delivery } = createDelivery('r1');
  const which = 'The event was UPDATE of record r1 in table "t1".';
  const input = addDeliveryToError(
    { ...delivery, tableName: '' },
    new InputError('Unknown field', 'Choose another.'),
  );
  expect(input).toMatchObject({ message: 'Unknown field', description: `Choose another. ${which}` });
  const api = addDeliveryToError(delivery, new ApiError({ message: 'No', description: 'Refused.' }));
  expect(api).toMatchObject({ message: 'No', description: `Refused. ${which}` });
  const named = addDeliveryToError({ ...delivery, tableName: 'Orders' }, new InputError('No', 'Choose.'));
  expect(named).toMatchObject({
    description: 'Choose. The event was UPDATE of record r1 in table "Orders".',
  });
});
