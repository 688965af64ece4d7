import { messages, open } from './client';

type Opened = Awaited<ReturnType<typeof open>>;
let { service, api, at }: Opened = {} as Opened;
beforeEach(async () => ({ service, api, at } = await open()));
afterEach(() => service.stop());

const lead = { field_id: 'status', condition: '=', value: 'lead' };
const normal = (field_id: string, value: unknown) => ({ field_id, value, val_type: 'normal' });
const leads = () =>
  [...service.table('Customers').records.values()].filter(({ status }) => status === 'lead');
const check = (filters: unknown) =>
  api.get(`${at('Customers')}/records/batch-update-check`, { data: { filters } });
const update = (body: unknown) => api.post(`${at('Customers')}/records/batch-update`, body);

test('check counts, by a GET with a JSON body', async () => {
  const { data } = await check({ items: [lead] });
  expect(data).toEqual({ type: 'success', total: leads().length, msg: expect.any(String) });
  expect(leads().length).toBeGreaterThan(10);
  expect(messages(service)).toEqual([]);
});

test('update changes what matches, by slug or field id', async () => {
  const total = leads().length;
  const newsletter = service.table('Customers').field('newsletter')?.fieldId ?? '';
  const values = [normal('company', 'Batch'), normal(newsletter, 1)];
  expect((await update({ conditions: [{ items: [lead] }], values })).data).toMatchObject({
    type: 'success',
    total,
  });
  const changed = [...service.table('Customers').records.values()].filter(
    ({ company }) => company === 'Batch',
  );
  expect(changed).toEqual(leads());
  expect(changed.every((record) => record.newsletter === 1)).toBe(true);
  expect(messages(service)).toEqual([]);
});

test.each([
  ['all', 0],
  ['any', 1],
] as const)('several groups: %s of them', async (batchGroups, more) => {
  service.options.batchGroups = batchGroups;
  const conditions = [{ items: [lead] }, { items: [{ ...lead, value: 'former' }] }];
  const { total } = (await update({ conditions, values: [normal('notes', 'x')] })).data;
  expect(total > 0).toBe(more === 1);
});

test('a lost condition reaches every record, and is noted', async () => {
  const lost = { field_id: 'stauts', condition: '=', value: 'lead' };
  expect((await update({ conditions: [{ items: [lost] }], values: [normal('notes', 'x')] })).data.total).toBe(
    300,
  );
  expect((await check({ items: [lost] })).data.total).toBe(300);
  expect(messages(service).filter((message) => message.includes('touches every record'))).toHaveLength(2);
});

test('all or nothing: a value no record may take changes none', async () => {
  for (const [value, error] of [
    [normal('email', 'same@example.com'), 'This field is unique'],
    [normal('status', 'gone'), 'Invalid option'],
  ] as const) {
    const { status, data } = await update({
      conditions: [{ items: [lead] }],
      values: [normal('notes', 'x'), value],
    });
    expect([status, data.errors]).toEqual([422, { [value.field_id]: [error] }]);
  }
  expect([...service.table('Customers').records.values()].some(({ notes }) => notes === 'x')).toBe(false);
});

test('the only val_type is normal', async () => {
  const values = [{ ...normal('notes', 'x'), val_type: 'formula' }];
  expect((await update({ conditions: [{ items: [lead] }], values })).status).toBe(422);
  expect(messages(service)).toHaveLength(1);
});
