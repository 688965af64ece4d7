import type { ServiceOptions, Table } from '../..';
import { listViolations, openService } from '../client';

type Opened = Awaited<ReturnType<typeof openService>>;
let { service, api }: Opened = {} as Opened;
let table: Table;
let url: string;

async function open(options: Partial<ServiceOptions>): Promise<void> {
  ({ service, api } = await openService({ sample: 'empty', ...options }));
  service.addTable({ name: 'Parts', fields: [{ name: 'Title', type: 'Text' }] });
  table = service.addTable({
    name: 'Things',
    fields: [
      { name: 'Title', type: 'Text' },
      { name: 'Count', type: 'Number' },
      { name: 'Home', type: 'Address' },
      { name: 'Term', type: 'Calendar' },
      { name: 'Site', type: 'Link' },
      { name: 'Tags', type: 'Multi-select', options: ['a', 'b'] },
      { name: 'Parts', type: 'Connection', to: 'Parts' },
    ],
  });
  url = `/data-tables/${table.id}/records`;
}
afterEach(() => service.stop());

const toForm = (parts: Record<string, string>) => {
  const form = new FormData();
  for (const [name, value] of Object.entries(parts)) form.append(name, value);
  return form;
};

/** Creates a record of this body and reads it. */
const createAndRead = async (body: object) => {
  const answer = await api.post(url, body);
  expect(answer.data).toMatchObject({ type: 'success' });
  const id = [...table.records.keys()].at(-1);
  return (await api.get(`${url}/${id}`)).data.item;
};

const NESTED = {
  home: { city: 'Leeds' },
  term: { start: '2031-03-02 09:00:00' },
  site: { link: 'x.example' },
};
const BRACKETS = { 'home[city]': 'Leeds', term__start: '2031-03-02', 'site[link]': 'x.example' };
const NO_PART = { home: { city: '' }, term: { start: '' }, site: { link: '' } };

test('jsonParts nested: nested objects are stored, bracket keys are ignored with success', async () => {
  await open({ jsonParts: 'nested', compositeValues: 'met' });
  expect(await createAndRead({ title: 'a', ...NESTED })).toMatchObject({ title: 'a', ...NESTED });
  expect(await createAndRead({ title: 'b', ...BRACKETS })).toMatchObject({ title: 'b', ...NO_PART });
  expect(await createAndRead({ site: 'https://shop.example/a' })).toMatchObject({
    site: { link: 'https://shop.example/a' },
  });
  expect(listViolations(service)).toEqual([]);
});

test('jsonParts formOnly: no part is stored from JSON', async () => {
  await open({ jsonParts: 'formOnly', compositeValues: 'met' });
  expect(await createAndRead({ title: 'a', ...NESTED })).toMatchObject({ title: 'a', ...NO_PART });
  expect(await createAndRead({ title: 'b', ...BRACKETS })).toMatchObject({ title: 'b', ...NO_PART });
  expect(listViolations(service)).toEqual([]);
});

test('jsonParts brackets: nested objects are ignored and noted', async () => {
  await open({ compositeValues: 'met' });
  expect(await createAndRead(BRACKETS)).toMatchObject({
    home: { city: 'Leeds' },
    site: { link: 'x.example' },
  });
  expect(listViolations(service)).toEqual([]);
  expect(await createAndRead(NESTED)).toMatchObject(NO_PART);
  expect(listViolations(service)).toHaveLength(3);
});

test.each(['brackets', 'nested', 'formOnly'] as const)(
  'a form is stored under jsonParts %s',
  async (jsonParts) => {
    await open({ jsonParts, compositeValues: 'met' });
    const form = toForm({
      'home[city]': 'Leeds',
      'home[lat]': '53.8',
      'term[start]': '2031-03-02 09:00:00',
      'term[end]': '2031-03-02',
      'term[all_day]': 'Yes',
      'site[link]': 'https://shop.example/a',
    });
    expect(await createAndRead(form)).toMatchObject({
      home: { city: 'Leeds', lat: '53.8', lng: '' },
      term: { start: '2031-03-02 09:00:00', end: '2031-03-02 00:00:00', all_day: 'Yes' },
      site: { link: 'https://shop.example/a' },
    });
    expect(await createAndRead(toForm({ term__start: '2031-03-02' }))).toMatchObject({
      term: { start: '2031-03-02 00:00:00', end: '', all_day: 'No' },
    });
    expect(listViolations(service)).toEqual([]);
  },
);

test('the parts of the documented Calendar have no times and no brackets', async () => {
  await open({});
  const form = toForm({ 'term[start]': '2031-03-02 09:00:00', term__end: '2031-03-03' });
  expect(await createAndRead(form)).toMatchObject({ term: { start: null, end: '2031-03-03' } });
  expect(listViolations(service)).toHaveLength(1);
  expect((await api.post(url, { term__start: '2031-03-02 09:00:00' })).status).toBe(422);
});

test('emptyChoices met: without a value a list with an empty text; doubles stay', async () => {
  await open({ emptyChoices: 'met' });
  expect(await createAndRead({ title: 'a' })).toMatchObject({ tags: [''] });
  expect(await createAndRead({ tags: [''] })).toMatchObject({ tags: [''] });
  expect(await createAndRead({ tags: ['a', '', 'b', 'a'] })).toMatchObject({ tags: ['a', '', 'b', 'a'] });
  const filters = { items: [{ field_id: 'tags', operator: 'is blank' }] };
  expect((await api.post(url, { filters })).data.total_items).toBe(2);
});

test('blankNumber: an empty text, which can be written', async () => {
  await open({ blankNumber: '' });
  expect(await createAndRead({ title: 'a' })).toMatchObject({ count: '' });
  expect(await createAndRead({ count: '' })).toMatchObject({ count: '' });
  expect(await createAndRead({ count: 0 })).toMatchObject({ count: 0 });
  const filters = { items: [{ field_id: 'count', operator: 'is blank' }] };
  expect((await api.post(url, { filters })).data.total_items).toBe(2);
});

test('a connection takes one ID, a list, and a comma text', async () => {
  await open({ profile: 'met' });
  const [a, b] = ['a', 'b'].map((title) => service.getTable('Parts').insert({ title }).id);
  expect(await createAndRead({ parts: a })).toMatchObject({ parts: [a] });
  expect(await createAndRead({ parts: [a, b] })).toMatchObject({ parts: [a, b] });
  expect(await createAndRead({ parts: `${a},${b}` })).toMatchObject({ parts: [a, b] });
  expect(listViolations(service)).toEqual([]);
});

test('an update keeps what it does not name', async () => {
  await open({ profile: 'met' });
  const { id } = table.insert({ title: 'a', count: 2, tags: ['a'] });
  await api.post(`${url}/${id}`, { title: 'b' });
  expect(table.records.get(id)).toMatchObject({ title: 'b', count: 2, tags: ['a'] });
});

test('a PUT is refused with 405, and noted', async () => {
  await open({});
  const { id } = table.insert({ title: 'a' });
  const answer = await api.put(`${url}/${id}`, { title: 'b' });
  expect([answer.status, answer.data.type]).toEqual([405, 'error']);
  expect(table.records.get(id)!.title).toBe('a');
  expect(listViolations(service)).toEqual(['undocumented endpoint']);
  expect((await api.put('/nowhere', {})).status).toBe(404);
});
