import {
  createRecord,
  createItemConverter,
  encodeRecordValues,
  getTable,
  readRecord,
  updateRecord,
} from '../../nodes/records';
import { clearMemories } from '../../nodes/service';
import type { FieldDefinition } from '../service/data/field';
import { ClientEnvironment } from './support';

/** Names, Addresses, Calendars and Links: written in a form, read back, changed and cleared. */

const env = new ClientEnvironment();
beforeAll(() => env.start());
afterAll(() => env.stop());
afterEach(() => {
  clearMemories();
  env.service.faults.clear();
  expect(env.service.violations.splice(0).map(({ message }) => message)).toEqual([]);
});

const TYPES = ['Name', 'Address', 'Calendar', 'Date Range', 'Link'] as const;
const VALUES: Record<string, unknown> = {
  name: { first_name: 'Ada', last_name: 'O\'Hara "x"\nII' },
  address: { address: '1 Main Street\r\n2nd floor', city: 'Łódź' },
  calendar: { start: '2031-03-02', end: '2031-03-05' },
  date_range: { start: '2031-03-02 09:00:00', end: '2031-03-02 17:30:00' },
  link: 'https://shop.example/a?b=c&d="e"',
};
let count = 0;

async function open(types: readonly FieldDefinition['type'][] = TYPES) {
  const name = `Composites ${++count}`;
  const fields = types.map((type): FieldDefinition => ({ name: type, type }));
  const stored = env.service.addTable({ name, fields: [{ name: 'Text', type: 'Text' }, ...fields] });
  const client = env.createClient();
  const table = await getTable(client, stored.id);
  const encode = (values: object) => encodeRecordValues({ ...values }, table, { timeZone: 'UTC' });
  const create = async (values: object) => {
    const entries = encode(values);
    return (await createRecord(client, { table, entries })).record.id;
  };
  const update = (recordId: string, values: object) =>
    updateRecord(client, { table, recordId, entries: encode(values), timeZone: 'UTC' });
  const shape = createItemConverter({ simplified: true }, table);
  const read = async (id: string) => shape(await readRecord(client, table.id, id));
  return { client, table, stored, encode, create, update, read };
}

/** A Calendar of the service as met has times. */
const isMet = () => env.service.options.compositeValues === 'met';
const withTimes = (range: object, allDay?: string) => ({ ...range, all_day: allDay ?? 'No' });

test('what is written is read back, and written again without a request', async () => {
  const { create, update, read } = await open();
  const id = await create({ text: 'a', ...VALUES });
  const shown = await read(id);
  expect(shown).toMatchObject({
    ...VALUES,
    calendar: isMet()
      ? withTimes({ start: '2031-03-02 00:00:00', end: '2031-03-05 00:00:00' })
      : VALUES.calendar,
    date_range: withTimes(VALUES.date_range as object),
  });
  const { text, name, address, calendar, date_range, link } = shown;
  const requests = await env.record(() => update(id, { text, name, address, calendar, date_range, link }));
  expect(requests.map(({ method }) => method)).toEqual(['GET']);
});

test('one part is changed, and the others stay', async () => {
  const { create, update, read } = await open();
  const id = await create({ text: 'a', ...VALUES });
  await update(id, {
    name: { first_name: 'Eve' },
    address: { city: 'York' },
    calendar: { end: '2031-03-09 12:00' },
    date_range: { end: '2031-03-02 18:00' },
    link: 'https://b.example',
  });
  const shown = await read(id);
  expect(shown).toMatchObject({
    text: 'a',
    name: { first_name: 'Eve', last_name: 'O\'Hara "x"\nII' },
    address: { address: '1 Main Street\r\n2nd floor', city: 'York' },
    date_range: { start: '2031-03-02 09:00:00', end: '2031-03-02 18:00:00' },
    link: 'https://b.example',
  });
  // A Calendar that the record shows with times takes a time, any other one takes days.
  expect(shown.calendar).toMatchObject(
    isMet()
      ? { start: '2031-03-02 00:00:00', end: '2031-03-09 12:00:00' }
      : { start: '2031-03-02', end: '2031-03-09' },
  );
});

test('a part that the service stores without its outer blanks is stored', async () => {
  env.service.options.storedText = ['trimmed'];
  const { create, update, read } = await open(['Name']);
  const id = await create({ text: 'a', name: { first_name: ' Ada ' } });
  await update(id, { name: { first_name: 'Ada ' } });
  await update(id, { name: { first_name: ' Bo ' } });
  expect(await read(id)).toMatchObject({ name: { first_name: 'Bo' } });
  env.service.options.storedText = [];
});

test('each is cleared, alone and with its parts', async () => {
  const { create, update, read, stored } = await open();
  const id = await create({ text: 'a', ...VALUES });
  await update(id, { name: { last_name: '' }, calendar: { end: null } });
  const shown = await read(id);
  expect(shown.name).toEqual({ first_name: 'Ada' });
  expect(shown.calendar).not.toHaveProperty('end');
  await update(id, Object.fromEntries(Object.keys(VALUES).map((slug) => [slug, null])));
  expect(await read(id)).toMatchObject({
    text: 'a', name: null, address: null, calendar: null, date_range: null, link: '',
  }); // prettier-ignore
  expect(stored.records.get(id)!.text).toBe('a');
});

test('a blank one costs a new record no form', async () => {
  const { create } = await open();
  const blank = Object.fromEntries(Object.keys(VALUES).map((slug) => [slug, null]));
  const [post] = await env.record(() => create({ text: 'a', ...blank }));
  expect(post).toMatchObject({ method: 'POST', body: { text: 'a' } });
});
