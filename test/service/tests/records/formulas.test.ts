import { listViolations, ManualClock, openService } from '../client';

type Opened = Awaited<ReturnType<typeof openService>>;
let { service, api, at }: Opened = {} as Opened;
const clock = new ManualClock();
beforeAll(async () => ({ service, api, at } = await openService({ clock, jobMs: 1000 })));
afterAll(() => service.stop());

const getOrdersPath = () => `${at('Orders')}/records`;
let number = 0;
const create = async (headers: Record<string, string> = {}, query = '') => {
  const values = { number: `F-${++number}`, quantity: 3, unit_price: 1.1 };
  return (await api.post(getOrdersPath() + query, values, { headers })).data;
};
const getTotal = (id: string) => service.getTable('Orders').records.get(id)?.total;

test('formulas run at once, and the log tells', async () => {
  const data = await create({}, '?showequationlog=true');
  expect(data.item.total).toBe(3.3);
  expect(data.equationLog).toEqual([
    { field: 'total', formula: '{quantity} * {unit_price}', result: 3.3, execution_time_ms: 1 },
  ]);
  expect(await create()).not.toHaveProperty('equationLog');
});

test('queued, they run a little later', async () => {
  const { item } = await create({ 'X-Service-Queue-Equation': '1' });
  expect([item.total, getTotal(item.id)]).toEqual([null, null]);
  clock.advance(1000);
  await api.get('/status');
  expect(getTotal(item.id)).toBe(3.3);
});

test.each([
  ['/update-all-formula', 3.3],
  ['/update-all-formula/TABLE', 3.3],
  ['/update-all-formula/OTHER', null],
  ['/update-field-formula-by-slug/total', 3.3],
  ['/update-field-formula-by-slug/total/force', 3.3],
  ['/update-field-formula-by-slug/formula', null],
  ['/update-field-formula-by-id/FIELD', 3.3],
  ['/update-field-formula-by-id/FIELD/force', 3.3],
])('switched off, they wait for POST %s', async (path, expected) => {
  const { item } = await create({ 'X-Service-Update-Equation': '0' });
  expect(getTotal(item.id)).toBeNull();
  const table = service.getTable('Orders');
  const url = path
    .replace('TABLE', table.id)
    .replace('OTHER', service.getTable('Products').id)
    .replace('FIELD', table.findField('total')?.fieldId ?? '');
  expect((await api.post(url)).data.type).toBe('success');
  expect(getTotal(item.id)).toBe(expected);
});

test('or for a write that updates the whole table', async () => {
  const { item } = await create({ 'X-Service-Update-Equation': '0' });
  await create({ 'X-Service-Update-Table-Equation': '1' });
  expect(getTotal(item.id)).toBe(3.3);
  expect(listViolations(service)).toEqual([]);
});

test.each(['slug/nope', 'slug/quantity', 'id/field_0'])(
  'update-field-formula-by-%s is not found',
  async (path) => {
    expect((await api.post(`/update-field-formula-by-${path}`)).status).toBe(404);
  },
);
