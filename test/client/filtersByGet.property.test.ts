import { readRecordPage, type FilterGroup } from '../../nodes/records';
import { recordEndpoints } from '../../nodes/service';
import { createSeed, scaleRuns } from '../randomness';
import { Random } from '../service/state/random';
import { ClientEnvironment } from './support';

/**
 * Random filters whose conditions must all hold find the same records by GET, as the client sends them, and by POST. Values
 * have what has a meaning in an address: blanks, commas, plus signs, brackets, quotes, emoji.
 */

const TEXTS = [
  '0', 'a', 'A', 'a b', ' a', 'a,b', 'a+b', 'a b+c', 'a&b=c', 'a[0]', '[a]', '"a"', "it's", 'é', '😀', '😀 a', 'a/b?c#d',
  '100%', '%20', 'a;b', 'a\\b', '<a>', 'true', 'null', '',
]; // prettier-ignore
const NUMBERS = [0, 1, -1, 1.5, 10, null];
const DAYS = ['2025-03-01', '2025-03-31', '2025-04-01', null];
const CHOICES = ['new', 'in progress', 'a,b', ''];

const createItems = (random: Random, ids: string[]): FilterGroup['items'] => {
  const text = () => random.pick(TEXTS.filter((one) => one !== ''));
  const createItem = (): FilterGroup['items'][number] => {
    const blank = random.pick(['is blank', 'is not blank']);
    const [field_id, operators, val]: [string, string[], string | number] = random.pick([
      ['text', ['is', 'is exact', 'is not', 'is not exact', 'contains', 'does not contain', 'starts with', 'ends with'], text()],
      ['name-first', ['is', 'is not', 'contains'], text()],
      ['number', ['is', 'is not', 'higher than', 'lower than or equal to'], random.pick([0, 1, -1, 1.5])],
      ['day', ['is', 'is before', 'is on or after'], random.pick(['2025-03-01', '2025-03-31'])],
      ['moment', ['is', 'is after', 'is on or before'], random.pick(['2025-03-31 00:00:00', '2025-03-01 09:30:00'])],
      ['choice', ['is', 'is not'], random.pick(['new', 'in progress', 'a,b'])],
      ['others', ['is', 'contains', 'is not'], random.pick(ids)],
    ]); // prettier-ignore
    const draw = random.nextInt(0, 9);
    if (draw === 0) return { field_id: 'done', operator: random.pick(['is checked', 'is unchecked']) };
    return draw === 1 ? { field_id, operator: blank } : { field_id, operator: random.pick(operators), val };
  };
  return Array.from({ length: random.nextInt(1, 3) }, createItem);
};

const env = new ClientEnvironment();
beforeAll(async () => {
  await env.start({ perMinute: 1_000_000, perDay: 10_000_000 });
  env.service.addTable({ name: 'Others', fields: [{ name: 'Title', type: 'Text' }] });
  env.service.addTable({
    name: 'Values',
    fields: [
      { name: 'Text', type: 'Text' },
      { name: 'Name', type: 'Name' },
      { name: 'Number', type: 'Number' },
      { name: 'Day', type: 'Date' },
      { name: 'Moment', type: 'Date-Time' },
      { name: 'Choice', type: 'Select', options: CHOICES.filter(Boolean) },
      { name: 'Others', type: 'Connection', to: 'Others', many: true },
      { name: 'Done', type: 'Decision Box' },
    ],
  });
});
afterAll(() => env.stop());

test('2,000 filters find the same records', async () => {
  const random = new Random(createSeed());
  const [others, values] = ['Others', 'Values'].map((name) => env.service.getTable(name));
  const ids = ['a', 'b'].map((title) => others!.insert({ title }).id);
  for (let n = 0; n < 150; n++) {
    const day = random.pick(DAYS);
    values!.insert({
      text: random.pick(TEXTS),
      name: { title: '', first_name: random.pick(TEXTS), middle_name: '', last_name: 'x' },
      number: random.pick(NUMBERS),
      day,
      moment: day && `${day} ${random.pick(['00:00:00', '09:30:00'])}`,
      choice: random.pick(CHOICES),
      others: ids.filter(() => random.nextBoolean(0.5)),
      done: random.nextInt(0, 1),
    });
  }
  const client = env.createClient();
  const tableId = values!.id;
  let [byGet, selective] = [0, 0];
  const runs = scaleRuns(2_000);
  for (let run = 0; run < runs; run++) {
    const filters = { condition: 'AND' as const, items: createItems(random, ids), child: [] };
    const before = env.service.requests.length;
    const found = await readRecordPage(client, { tableId, filters }, 1, 200);
    const { method } = env.service.requests[before]!;
    if (method === 'GET') byGet++;
    const body = { filters, page: 1, limit: 200 };
    const posted = await client.call(recordEndpoints.listFiltered, {
      path: { dataTableId: tableId },
      body,
    });
    const expected = posted.body.items.map(({ id }) => id);
    if (expected.length > 0 && expected.length < 150) selective++;
    expect([filters.items, found.items.map(({ id }) => id)]).toEqual([filters.items, expected]);
  }
  expect(env.service.violations).toEqual([]);
  expect(byGet).toBe(runs);
  expect(selective / runs).toBeGreaterThan(0.3);
});
