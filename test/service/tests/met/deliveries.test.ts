import type { ServiceOptions } from '../..';
import { openService, startReceiver } from '../client';

type Opened = Awaited<ReturnType<typeof openService>>;
let { service, api }: Opened = {} as Opened;
let hook: Awaited<ReturnType<typeof startReceiver>>;
let url: string;

/** A service whose table sends all its changes to the receiver. */
async function open(options: Partial<ServiceOptions>): Promise<void> {
  const met: Partial<ServiceOptions> = { deliveryFields: 'saved', systemKeys: 'met' };
  ({ service, api } = await openService({ sample: 'empty', ...met, ...options }));
  hook = await startReceiver();
  service.addTable({ name: 'Parts', fields: [{ name: 'Title', type: 'Text' }] });
  const table = service.addTable({
    name: 'Things',
    fields: [
      { name: 'Title', type: 'Text' },
      { name: 'Count', type: 'Number' },
      { name: 'Tags', type: 'Multi-select', options: ['a', 'b'] },
      { name: 'Parts', type: 'Connection', to: 'Parts' },
      { name: 'Person', type: 'Name' },
    ],
  });
  for (const type of ['INSERT', 'UPDATE', 'DELETE'])
    await api.post('/web-hooks/subscribe', {
      data_table_id: table.id,
      type,
      hookUrl: `${hook.url}?event=${type}`,
      platform: 'test',
    });
  url = `/data-tables/${table.id}/records`;
}

afterEach(async () => {
  await service.stop();
  await hook.close();
});

const takeBodies = async () => {
  await service.waitForDeliveries();
  return hook.bodies.splice(0);
};

const create = async (values: object): Promise<string> => (await api.post(url, values)).data.item.id;

test('flatForm: id and values alone, lists and parts in brackets', async () => {
  await open({ deliveryForm: 'flatForm' });
  const part = service.getTable('Parts').insert({ title: 'Wheel' });
  const id = await create({
    title: 'Lamp & Shade',
    tags: ['a', 'b'],
    parts: [part.id],
    'person[first_name]': 'Ada',
  });
  expect(await takeBodies()).toEqual([
    {
      id,
      title: 'Lamp & Shade',
      'tags[0]': 'a',
      'tags[1]': 'b',
      'parts[0]': part.id,
      'person[title]': '',
      'person[first_name]': 'Ada',
      'person[middle_name]': '',
      'person[last_name]': '',
    },
  ]);
  expect(service.deliveries[0]!.sent).toEqual({
    contentType: 'application/x-www-form-urlencoded',
    text: hook.texts[0],
  });
  await api.post(`${url}/${id}`, { tags: ['b'], parts: [], count: null });
  expect(await takeBodies()).toEqual([{ id, tags: 'b', parts: '', count: '' }]);
  expect(hook.urls).toEqual(['/hook?event=INSERT', '/hook?event=UPDATE']);
});

test('flatJson: a multiple choice is a text, or a map with number keys', async () => {
  await open({ deliveryForm: 'flatJson' });
  const part = service.getTable('Parts').insert({ title: 'Wheel' });
  const id = await create({ title: 'Lamp', tags: ['a', 'b'], parts: [part.id], count: 2 });
  expect(await takeBodies()).toEqual([
    { id, title: 'Lamp', tags: { 0: 'a', 1: 'b' }, parts: [part.id], count: 2 },
  ]);
  await api.post(`${url}/${id}`, { tags: ['b'] });
  await api.post(`${url}/${id}`, { tags: [] });
  expect(await takeBodies()).toEqual([
    { id, tags: 'b' },
    { id, tags: '' },
  ]);
});

test('deliveryFields saved: what was named, also if nothing changed; DELETE has the whole record', async () => {
  await open({ deliveryForm: 'flatJson' });
  const id = await create({ title: 'Lamp', count: 2 });
  await takeBodies();
  await api.post(`${url}/${id}`, { title: 'Lamp' });
  const body = {
    conditions: [{ items: [{ field_id: 'title', condition: '=', value: 'Lamp' }] }],
    values: [{ field_id: 'count', value: 3, val_type: 'normal' }],
  };
  await api.post(`${url}/batch-update`, body);
  expect(await takeBodies()).toEqual([
    { id, title: 'Lamp' },
    { id, count: 3 },
  ]);
  service.getTable('Things').update(id, { title: 'By somebody else' });
  expect(await takeBodies()).toEqual([{ id, title: 'By somebody else' }]);
  await api.delete(`${url}/${id}`);
  expect(await takeBodies()).toEqual([
    {
      id,
      auto_increment: 1,
      created_at: expect.any(String),
      title: 'By somebody else',
      count: 3,
      tags: '',
      parts: [],
      person: { title: '', first_name: '', middle_name: '', last_name: '' },
    },
  ]);
});
