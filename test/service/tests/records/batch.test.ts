import { listViolations, openService } from '../client';

type Opened = Awaited<ReturnType<typeof openService>>;
let { service, api, at }: Opened = {} as Opened;
beforeEach(async () => ({ service, api, at } = await openService()));
afterEach(() => service.stop());

const lead = { field_id: 'status', condition: '=', value: 'lead' };
const createValue = (field_id: string, value: unknown) => ({ field_id, value, val_type: 'normal' });
const listLeads = () =>
  [...service.getTable('Customers').records.values()].filter(({ status }) => status === 'lead');
const checkBatch = (filters: unknown) =>
  api.get(`${at('Customers')}/records/batch-update-check`, { data: { filters } });
const updateBatch = (body: unknown) => api.post(`${at('Customers')}/records/batch-update`, body);

test('check counts, by a GET with a JSON body', async () => {
  const { data } = await checkBatch({ items: [lead] });
  expect(data).toEqual({ type: 'success', total: listLeads().length, msg: expect.any(String) });
  expect(listLeads().length).toBeGreaterThan(10);
  expect(listViolations(service)).toEqual([]);
});

test('update changes what matches, by slug or field id', async () => {
  const total = listLeads().length;
  const newsletter = service.getTable('Customers').findField('newsletter')?.fieldId ?? '';
  const values = [createValue('company', 'Batch'), createValue(newsletter, 1)];
  expect((await updateBatch({ conditions: [{ items: [lead] }], values })).data).toMatchObject({
    type: 'success',
    total,
  });
  const changed = [...service.getTable('Customers').records.values()].filter(
    ({ company }) => company === 'Batch',
  );
  expect(changed).toEqual(listLeads());
  expect(changed.every((record) => record.newsletter === 1)).toBe(true);
  expect(listViolations(service)).toEqual([]);
});

test.each([
  ['all', 0],
  ['any', 1],
] as const)('several groups: %s of them', async (batchGroups, more) => {
  service.options.batchGroups = batchGroups;
  const conditions = [{ items: [lead] }, { items: [{ ...lead, value: 'former' }] }];
  const { total } = (await updateBatch({ conditions, values: [createValue('notes', 'x')] })).data;
  expect(total > 0).toBe(more === 1);
});

test.each(['name[first_name]', 'name-first', 'name', 'customer_since[]'])(
  'a value for "%s" changes nothing and is noted',
  async (key) => {
    const before = structuredClone(listLeads());
    const { status } = await updateBatch({
      conditions: [{ items: [lead] }],
      values: [createValue(key, 'x')],
    });
    expect(status).toBe(200);
    expect(listLeads()).toEqual(before);
    expect(listViolations(service)).toEqual([expect.stringContaining(`"${key}"`)]);
  },
);

test('a group has items only: other keys are ignored and noted', async () => {
  const group = { condition: 'OR', items: [lead, { ...lead, value: 'former' }], child: [{ items: [lead] }] };
  const values = [createValue('notes', 'x')];
  expect((await updateBatch({ conditions: [group], values })).data.total).toBe(0);
  expect((await checkBatch(group)).data.total).toBe(0);
  const keys = ['condition', 'child', 'condition', 'child'];
  expect(listViolations(service)).toEqual(keys.map((key) => expect.stringContaining(`key "${key}"`)));
});

test('a lost condition reaches every record, and is noted', async () => {
  const lost = { field_id: 'stauts', condition: '=', value: 'lead' };
  expect(
    (await updateBatch({ conditions: [{ items: [lost] }], values: [createValue('notes', 'x')] })).data.total,
  ).toBe(300);
  expect((await checkBatch({ items: [lost] })).data.total).toBe(300);
  expect(listViolations(service).filter((message) => message.includes('touches every record'))).toHaveLength(
    2,
  );
});

test('all or nothing: a value no record may take changes none', async () => {
  for (const [value, error] of [
    [createValue('email', 'same@example.com'), 'This field is unique'],
    [createValue('status', 'gone'), 'Invalid option'],
  ] as const) {
    const { status, data } = await updateBatch({
      conditions: [{ items: [lead] }],
      values: [createValue('notes', 'x'), value],
    });
    expect([status, data.errors]).toEqual([422, { [value.field_id]: [error] }]);
  }
  expect([...service.getTable('Customers').records.values()].some(({ notes }) => notes === 'x')).toBe(false);
});

test('the only val_type is normal', async () => {
  const values = [{ ...createValue('notes', 'x'), val_type: 'formula' }];
  expect((await updateBatch({ conditions: [{ items: [lead] }], values })).status).toBe(422);
  expect(listViolations(service)).toHaveLength(1);
});
