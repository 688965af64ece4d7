import type { Service } from '../..';
import { ManualClock, openService } from '../client';

/** Five rows. The clock of the service is at 2025-06-15 12:00:00. */
const ROWS = [
  {
    key: 'a',
    text: 'Apple pie',
    n: 1,
    box: 1,
    day: '2025-06-14',
    at: '2025-06-14 08:00:00',
    time: '08:00:00',
  },
  { key: 'b', text: 'apple', n: 2, box: 0, day: '2025-06-15', at: '2025-06-15 11:59:59', time: '11:59:59' },
  { key: 'c', text: 'Banana', n: 0, box: 1, day: '2025-06-16', at: '2025-06-15 12:00:01', time: '12:00:01' },
  { key: 'd', text: '', n: null, box: 0, day: null, at: null, time: null },
  { key: 'e', text: '10%', n: -5.5, box: 0, day: '2024-12-31', at: '2025-06-15 23:59:59', time: '00:00:00' },
];
const PEOPLE = { title: 'Dr', first_name: 'Ann', middle_name: 'Q', last_name: 'Lee' };
const PLACE = {
  address: '1 A St',
  address2: 'Flat 2',
  city: 'Northtown',
  state: 'ND',
  zip: '10001',
  country: 'X',
};

function fillThings(service: Service): string[] {
  const target = service.addTable({ name: 'Targets', fields: [{ name: 'Label', type: 'Text' }] });
  const table = service.addTable({
    name: 'Things',
    fields: [
      { name: 'Key', type: 'Text' },
      { name: 'Text', type: 'Text' },
      { name: 'N', type: 'Number' },
      { name: 'Box', type: 'Decision Box' },
      { name: 'Day', type: 'Date' },
      { name: 'At', type: 'Date-Time' },
      { name: 'Time', type: 'Time' },
      { name: 'Tags', type: 'Multi-select', options: ['x', 'y', 'z'] },
      { name: 'Boxes', type: 'Checkbox', options: ['x', 'y'] },
      { name: 'Who', type: 'Name' },
      { name: 'Where', type: 'Address' },
      { name: 'Link', type: 'Connection', to: 'Targets' },
    ],
  });
  const [one, two] = [target.insert({ label: 'Target One' }).id, target.insert({ label: 'Target Two' }).id];
  const extras = [
    { who: PEOPLE, where: PLACE, tags: ['x', 'y'], link: [one, two] },
    { tags: ['y'], boxes: ['x'], link: [two] },
  ];
  ROWS.forEach((row, i) => table.insert({ ...row, ...extras[i] }));
  return [one, two];
}

/** A service with the table `Things`. `list` and `search` return the keys of the rows as one word. */
export async function openThings() {
  const { service, api, at } = await openService({ sample: 'empty', clock: new ManualClock() });
  const links = fillThings(service);
  const url = `${at('Things')}/records`;
  const formatKeys = (data: { items: { key: string }[] }) => data.items.map(({ key }) => key).join('');
  return {
    service,
    api,
    url,
    keys: formatKeys,
    /** `LINK0` and `LINK1` stand for the ids of the two targets. */
    value: (val: unknown) =>
      typeof val === 'string' && val.startsWith('LINK') ? links[Number(val.slice(4))] : val,
    list: async (filters: unknown) => formatKeys((await api.post(url, { filters })).data),
    search: async (filters: unknown) =>
      formatKeys((await api.post(`${url}?_zmode=search`, { filters })).data),
  };
}

export const createItem = (field_id: string, operator: string, val?: unknown) => ({
  field_id,
  operator,
  val,
});
