import type { ServiceOptions } from '../..';
import { listViolations, openService } from '../client';

type Opened = Awaited<ReturnType<typeof openService>>;
let { service, api, at }: Opened = {} as Opened;
const open = async (options: Partial<ServiceOptions>) => {
  ({ service, api, at } = await openService(options));
};
afterEach(() => service.stop());

const readTypes = async (table: string, list = 'fields'): Promise<Record<string, string>> => {
  const { fields } = (await api.get(`${at(table)}/${list}`)).data;
  return Object.fromEntries(fields.map(({ slug, type }: Record<string, string>) => [slug, type]));
};

test.each([
  ['Join', 'Join', 'Join'],
  ['mixed', 'Join', 'Connection'],
] as const)('connectionType %s', async (connectionType, basic, full) => {
  await open({ connectionType });
  expect((await readTypes('Orders')).customer).toBe(basic);
  expect((await readTypes('Orders', 'full-fields-info')).customer).toBe(full);
  const { fields } = (await api.get(`${at('Orders')}/full-fields-info`)).data;
  expect(fields.find(({ slug }: { slug: string }) => slug === 'customer').join).toMatchObject({
    join_type: '1-to-1',
    data_table_id: service.getTable('Customers').id,
  });
});

test('types met: the names of the types, and a field of each other type', async () => {
  await open({ types: 'met' });
  expect(await readTypes('Showcase')).toMatchObject({
    date_time: 'Date/Time',
    multi_select: 'Multi Select',
    dropdown: 'Select',
    formula: 'Basic Formula',
    calendar: 'Calendar',
    date_range: 'Date Range',
    link: 'Link',
    slider: 'Slider',
    rating: 'Rating',
    files: 'Files',
    image: 'Image',
    password: 'Password',
    select_with_score: 'Select with score',
    id_field: 'Id',
    auto_increment_field: 'Auto Increment',
    complex_formula: 'Complex Formula',
    text_formula: 'Text Formula',
    date_formula: 'Date Formula',
    equation: 'Equation',
    count: 'Count',
    sum: 'Sum',
  });
});

test('values of the profile', async () => {
  await open({ profile: 'met' });
  const [first, , third] = (await api.get(`${at('Showcase')}/records`)).data.items;
  const products = service.getTable('Products').records;
  const prices = first.connection_many.map((id: string) => products.get(id)!.price);
  expect(first).toMatchObject({
    auto_increment: 1,
    address: { city: 'Northtown', country: 'Freeland', zip: '10001', lng: '-0.1', lat: '51.1' },
    calendar: { start: '2025-06-02 00:00:00', end: '2025-06-09 00:00:00', all_day: 'No' },
    date_range: { start: '2025-06-02 00:20:34', end: '2025-06-02 23:30:00', all_day: 'No' },
    link: { link: 'https://shop.example/1' },
    file: { type: 'image', ext: 'jpg', size: '18', file_name: '1-a.jpg', secured: 'No' },
    files: [{ type: 'file', ext: 'pdf', size: 18, fileName: '1-c.pdf', fileId: expect.any(String) }],
    image: { src: 'https://files.example/1.jpg', width: 640, height: 480, public_id: 'picture-1' },
    password: '********',
    multi_select: ['b', '', 'c', 'b'],
    slider: 2,
    rating: 1,
    id_field: first.id,
    auto_increment_field: 1,
    complex_formula: 0,
    text_formula: 'Text 1!',
    date_formula: '2025-06-02',
    equation: 2,
    count: 2,
    sum: prices[0] + prices[1],
  });
  const file = await api.get(first.file.url, { headers: {} });
  expect(file.data).toBe('content of 1-a.jpg');
  expect(third).toMatchObject({
    link: { link: '' },
    file: '',
    files: [],
    image: '',
    password: '',
    number: '',
    multi_select: [''],
    calendar: { start: '', end: '', all_day: 'No' },
    count: 0,
  });
});

test('an Image, an Id and what is calculated cannot be written', async () => {
  await open({ types: 'met' });
  const [id, record] = [...service.getTable('Showcase').records][0]!;
  const values = { image: 'x', id_field: 'x', auto_increment_field: 7, text_formula: 'x', count: 7 };
  expect((await api.post(`${at('Showcase')}/records/${id}`, values)).data.type).toBe('success');
  expect(service.getTable('Showcase').records.get(id)).toEqual(record);
  expect(listViolations(service)).toHaveLength(5);
});

test('a password is stored and read as a mask; Files take several parts', async () => {
  await open({ profile: 'met' });
  const form = new FormData();
  form.append('password', 'secret-word');
  for (const name of ['a.txt', 'b.txt'])
    form.append('files[]', new Blob([name], { type: 'text/plain' }), name);
  const { recordId } = (await api.post(`${at('Showcase')}/records`, form)).data;
  expect(service.getTable('Showcase').records.get(recordId)!.password).toBe('secret-word');
  const { item } = (await api.get(`${at('Showcase')}/records/${recordId}`)).data;
  expect(item.password).toBe('********');
  expect(item.files).toMatchObject([{ fileName: 'a.txt' }, { fileName: 'b.txt' }]);
  expect(listViolations(service)).toEqual([]);
});

describe('filters', () => {
  const count = async (table: string, field_id: string, operator: string, val?: string) => {
    const params = {
      'filters[items][0][field_id]': field_id,
      'filters[items][0][operator]': operator,
      ...(val !== undefined && { 'filters[items][0][val]': val }),
    };
    return (await api.get(`${at(table)}/records`, { params })).data.total_items;
  };

  test('calendarFilter ends: both ends of a Calendar are compared', async () => {
    await open({ calendarFilter: 'ends' });
    // The filled rows are 1, 2, 4, 5, ...; row i begins on the day i + 1 and ends on the day i + 8.
    expect(await count('Showcase', 'calendar-start', 'is before', '2025-06-03')).toBe(1);
    expect(await count('Showcase', 'calendar-end', 'is on or before', '2025-06-10')).toBe(2);
    expect(await count('Showcase', 'calendar-end', 'is blank')).toBe(8);
    expect(listViolations(service)).toEqual([]);
  });

  test('calendarFilter ends, with times: a day is the whole day', async () => {
    await open({ profile: 'met' });
    expect(await count('Showcase', 'calendar', 'is', '2025-06-03')).toBe(1);
    expect(await count('Showcase', 'date_range-start', 'is', '2025-06-03')).toBe(1);
    expect(await count('Showcase', 'date_range-end', 'is after', '2025-06-03 23:00:00')).toBe(15);
  });

  test('calendarFilter start: an end is an unknown field, so its filter is dropped', async () => {
    await open({});
    expect(await count('Showcase', 'calendar-end', 'is blank')).toBe(24);
    expect(listViolations(service)).toEqual(['filter on unknown field "calendar-end"']);
  });

  test('containsAny: one of a comma list', async () => {
    await open({ containsAny: 'known' });
    expect(await count('Products', 'name', 'contains_any', 'Red Lamp, Blue Desk')).toBe(2);
    const [a, b] = [...service.getTable('Customers').records.keys()];
    const orders = [...service.getTable('Orders').records.values()];
    const wanted = orders.filter(({ customer }) => [a, b].includes((customer as string[])[0]));
    expect(await count('Orders', 'customer', 'contains_any', `${a},${b}`)).toBe(wanted.length);
    expect(listViolations(service)).toEqual([]);
  });

  test('containsAny unknown: the filter fails silently', async () => {
    await open({});
    expect(await count('Products', 'name', 'contains_any', 'Red Lamp')).toBe(40);
    expect(listViolations(service)).toHaveLength(1);
  });
});
