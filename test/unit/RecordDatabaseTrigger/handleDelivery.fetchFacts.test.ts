/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not shipped: runs on Node */
import type { IWebhookFunctions } from 'n8n-workflow';
import type { Facts } from '../../../nodes/RecordDatabaseTrigger/decide';
import {
  DeliveryReader,
  decideWithService,
  withDeliveryDetails,
} from '../../../nodes/RecordDatabaseTrigger/handleDelivery';
import { LastValues, LastDeliveries } from '../../../nodes/RecordDatabaseTrigger/staticData';
import { Table } from '../../../nodes/records';
import { ApiError, InputError } from '../../../nodes/service';
import { parseField } from '../records/fields/fieldTools';
import { FakeN8n, createErrorAnswer, createOkAnswer } from '../service/http/fakeN8n';

const table = new Table('t1', [parseField({ slug: 'full', name: 'Full' })]);

/** Keys of each item, before those of the record. */
const EVENT = { _event: 'UPDATE', _table: 't1' };

const createFacts = (recordId: string, more: Partial<Facts['parameters']> = {}): Facts => ({
  delivery: {
    event: 'UPDATE',
    tableId: 't1',
    tableName: '',
    recordId,
    record: { id: recordId },
    timestamp: '',
    receivedAt: 0,
  },
  parameters: {
    tableIds: ['t1'],
    namesTables: false,
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
  table,
  memory: { lastDeliveries: new LastDeliveries(), lastValues: new LastValues(), tables: new Map() },
});

/** A delivery to a pasted address: its record must exist. */
const createUnverified = (recordId: string) => createFacts(recordId, { startBy: 'address' });

const createReader = (n8n: FakeN8n) => DeliveryReader.create(n8n.context as unknown as IWebhookFunctions);

const decideBy = async (n8n: FakeN8n, facts: Facts) =>
  decideWithService(await createReader(n8n), facts, () => undefined);

test('250 deliveries at once are all read', async () => {
  const n8n = new FakeN8n(async ({ url }) =>
    createOkAnswer({ item: { id: url.split('/').at(-1), full: 'yes' } }),
  );
  const decisions = await Promise.all(
    Array.from({ length: 250 }, (_, n) => decideBy(n8n, createFacts(`r${n}`))),
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
  const n8n = new FakeN8n(() => {
    deadline.abort();
    return { ...createErrorAnswer(429, 'Too many requests'), headers: { 'x-retry-after': '2' } };
  });
  const decision = await decideBy(n8n, createFacts('r1'));
  expect(timeout).toHaveBeenCalledWith(8_000);
  timeout.mockRestore();
  expect(decision).toMatchObject({ status: 200, item: { _notChecked: ['fullRecord'] } });
  expect(n8n.sent).toHaveLength(1);
});

test('nothing is read after the deadline', async () => {
  const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(AbortSignal.abort());
  const reader = await createReader(new FakeN8n(() => createOkAnswer()));
  timeout.mockRestore();
  const use = jest.fn(async () => undefined);
  await expect(reader.read(use)).rejects.toThrow('could not be read within 8 seconds');
  await new Promise((resolve) => setImmediate(resolve));
  expect(use).not.toHaveBeenCalled();
});

test('fields that cannot be read only leave the record as it was delivered', async () => {
  const n8n = new FakeN8n(() => createErrorAnswer(403, 'No'));
  const facts = { ...createFacts('r1', { fullRecord: false }), table: undefined };
  const decision = await decideBy(n8n, facts);
  expect(decision).toEqual({
    status: 200,
    reason: 'Received',
    item: { ...EVENT, id: 'r1', _notChecked: ['fields'] },
    values: undefined,
  });
  const named = { ...facts, parameters: { ...facts.parameters, columns: ['company'] } };
  await expect(decideBy(n8n, named)).rejects.toThrow();
});

test("a 404 of the service means not found; a proxy's 404 is a failure", async () => {
  const gone = new FakeN8n(() => createErrorAnswer(404, 'Record Not Found'));
  const missing = await decideBy(gone, createUnverified('r1'));
  expect(missing).toMatchObject({ status: 410 });
  const proxy = new FakeN8n(() => ({ statusCode: 404, headers: {}, body: '<html>Not Found</html>' }));
  await expect(decideBy(proxy, createUnverified('r1'))).rejects.toThrow();
});

test('an error of a delivery names the event, the record and the table', () => {
  const { delivery } = createFacts('r1');
  const which = 'The event was UPDATE of record r1 in table "t1".';
  const input = withDeliveryDetails(delivery, new InputError('Unknown field', 'Choose another.'));
  expect(input).toMatchObject({ message: 'Unknown field', description: `Choose another. ${which}` });
  const api = withDeliveryDetails(delivery, new ApiError({ message: 'No', description: 'Refused.' }));
  expect(api).toMatchObject({ message: 'No', description: `Refused. ${which}` });
  const named = withDeliveryDetails({ ...delivery, tableName: 'Orders' }, new InputError('No', 'Choose.'));
  expect(named).toMatchObject({
    description: 'Choose. The event was UPDATE of record r1 in table "Orders".',
  });
});
