import type { Service } from '../..';
import { listViolations, openService } from '../client';

let service: Service;
let api: Awaited<ReturnType<typeof openService>>['api'];
let at: (name: string) => string;
beforeAll(async () => ({ service, api, at } = await openService()));
afterAll(() => service.stop());
beforeEach(() => void (service.violations.length = 0));

const getUrl = () => `${at('Showcase')}/records`;
const takeIds = (table: string, count: number) => [...service.getTable(table).records.keys()].slice(0, count);
const getCustomerId = () => takeIds('Customers', 1)[0] as string;
const listProductIds = () => takeIds('Products', 3);

type Values = Record<string, unknown>;

/** What is sent, and what is read back (spec: Field-type value formats). */
test.each<[string, () => Values, () => Values]>([
  ['Text', () => ({ text: 'a' }), () => ({ text: 'a' })],
  ['Long Text', () => ({ long_text: 'a\nb' }), () => ({ long_text: 'a\nb' })],
  ['Rich Text', () => ({ rich_text: '<p>a</p>' }), () => ({ rich_text: '<p>a</p>' })],
  ['Phone', () => ({ phone: '+1 (555) 010-20' }), () => ({ phone: '+1 (555) 010-20' })],
  ['Email', () => ({ email: 'a@example.com' }), () => ({ email: 'a@example.com' })],
  ['Number', () => ({ number: -2.5 }), () => ({ number: -2.5 })],
  ['Number 0', () => ({ number: 0 }), () => ({ number: 0 })],
  ['Currency', () => ({ currency: 9.99 }), () => ({ currency: 9.99 })],
  ['Decision Box', () => ({ decision_box: 1 }), () => ({ decision_box: 1 })],
  ['Date', () => ({ date: '2024-02-29' }), () => ({ date: '2024-02-29' })],
  ['Date cleared', () => ({ date: null }), () => ({ date: null })],
  ['Time', () => ({ time: '23:59:01' }), () => ({ time: '23:59:01' })],
  ['Date-Time', () => ({ date_time: '2025-01-02 03:04:05' }), () => ({ date_time: '2025-01-02 03:04:05' })],
  [
    'Calendar',
    () => ({ calendar__start: '2025-01-01', calendar__end: '2025-01-03' }),
    () => ({ calendar: { start: '2025-01-01', end: '2025-01-03' } }),
  ],
  [
    'Name',
    () => ({ 'name[first_name]': 'A', 'name[last_name]': 'B' }),
    () => ({ name: { title: '', first_name: 'A', middle_name: '', last_name: 'B' } }),
  ],
  [
    'Address',
    () => ({ 'address[city]': 'C', 'address[zip]': '1' }),
    () => ({ address: { address: '', address2: '', city: 'C', state: '', zip: '1', country: '' } }),
  ],
  ['Select', () => ({ select: 'a' }), () => ({ select: 'a' })],
  ['Radio', () => ({ radio: 'b' }), () => ({ radio: 'b' })],
  ['Dropdown', () => ({ dropdown: '' }), () => ({ dropdown: '' })],
  ['Multi-select', () => ({ multi_select: ['a', 'c'] }), () => ({ multi_select: ['a', 'c'] })],
  ['Checkbox', () => ({ checkbox: [] }), () => ({ checkbox: [] })],
  [
    'Connection one',
    () => ({ connection_one: getCustomerId() }),
    () => ({ connection_one: [getCustomerId()] }),
  ],
  [
    'Connection array',
    () => ({ connection_many: listProductIds() }),
    () => ({ connection_many: listProductIds() }),
  ],
  [
    'Connection list',
    () => ({ connection_many: listProductIds().join(',') }),
    () => ({ connection_many: listProductIds() }),
  ],
  [
    'Connection list with a repeated id',
    () => ({ connection_many: [...listProductIds(), listProductIds()[0]].join(', ') }),
    () => ({ connection_many: listProductIds() }),
  ],
  ['User', () => ({ user: service.user.userId }), () => ({ user: [service.user.userId] })],
])('%s is taken as the spec has it', async (_type, payload, expected) => {
  const { status, data } = await api.post(getUrl(), payload());
  expect([status, data.errors]).toEqual([200, undefined]);
  expect(data.item).toMatchObject(expected());
  expect((await api.get(`${getUrl()}/${data.item.id}`)).data.item).toEqual(data.item);
  expect(listViolations(service)).toEqual([]);
});

test('a form carries text, lists and files', async () => {
  const form = new FormData();
  const entries = {
    number: '2',
    decision_box: '1',
    'name[first_name]': 'F',
    calendar__start: '2025-01-01',
    date: '',
  };
  for (const [key, value] of Object.entries(entries)) form.append(key, value);
  for (const value of ['a', 'b']) form.append('multi_select[]', value);
  form.append('checkbox[]', 'c');
  for (const id of listProductIds()) form.append('connection_many[]', id);
  form.append('file', new Blob(['content'], { type: 'text/plain' }), 'note.txt');
  const { status, data } = await api.post(getUrl(), form);
  expect(status).toBe(200);
  expect(data.item).toMatchObject({
    number: 2,
    decision_box: 1,
    name: { first_name: 'F' },
    calendar: { start: '2025-01-01', end: null },
    date: null,
    multi_select: ['a', 'b'],
    checkbox: ['c'],
    connection_many: listProductIds(),
  });
  expect(data.item.file).toMatch(/note\.txt$/);
  const { data: content } = await api.get(data.item.file, { headers: { 'X-Service-App-Secret': undefined } });
  expect(content).toBe('content');
});

test('an omitted field gets the value of its type, never its default', async () => {
  const { data } = await api.post(getUrl(), {});
  expect(data.item).toMatchObject({
    text: '',
    unique_text: '',
    number: null,
    decision_box: 0,
    date: null,
    select: '',
    multi_select: [],
    connection_many: [],
    connection_many_val: [],
    calendar: { start: null, end: null },
  });
  service.options.omittedNumber = 0;
  expect((await api.post(getUrl(), {})).data.item.number).toBe(0);
  service.options.omittedNumber = null;
});
