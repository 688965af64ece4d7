/* eslint-disable @typescript-eslint/no-unused-vars -- not shipped: runs on Node */
import { toField } from '../../../nodes/client/fields/kinds';
import { fullFieldSchema } from '../../../nodes/client/responses/schemas';
import {
  MAX_SAVED,
  MAX_TRIGGERS,
  SeenDeliveries,
  getTriggerMemory,
  readStaticData,
  readStoredTable,
  storeTables,
  writeStaticData,
} from '../../../nodes/RecordDatabaseTrigger/staticData';

const EMPTY = { seen: [], values: '' };

describe('seen deliveries', () => {
  test('are limited, and the oldest are removed first', () => {
    const seen = new SeenDeliveries(3);
    for (const hash of ['a', 'b', 'c', 'd']) seen.add(hash);
    expect(['a', 'b', 'c', 'd'].map((hash) => seen.has(hash))).toEqual([false, true, true, true]);
  });

  test('the latest ones are saved in the static data, each once', () => {
    const seen = new SeenDeliveries();
    for (let i = 0; i <= MAX_SAVED; i++) for (const _twice of [1, 2]) seen.add(`${i}`);
    expect(seen.save()).toHaveLength(MAX_SAVED);
    expect([seen.save()[0], seen.save().at(-1)]).toEqual(['1', `${MAX_SAVED}`]);
  });
});

describe('the memory of a trigger', () => {
  test('is separate for each trigger, and includes what other processes saved', () => {
    getTriggerMemory('one', { ...EMPTY, seen: ['a'] }).seen.add('b');
    expect(getTriggerMemory('one', { ...EMPTY, seen: ['a', 'c'] }).seen.save()).toEqual(['a', 'b', 'c']);
    expect(getTriggerMemory('two', EMPTY).seen.has('a')).toBe(false);
  });

  test('is deleted for the trigger that was idle longest, which then reads its static data', () => {
    getTriggerMemory('idle', EMPTY).seen.add('x');
    getTriggerMemory('busy', EMPTY).seen.add('x');
    for (let other = 2; other < MAX_TRIGGERS; other++) getTriggerMemory(`other ${other}`, EMPTY);
    expect(getTriggerMemory('busy', EMPTY).seen.has('x')).toBe(true);
    getTriggerMemory('one more', EMPTY);
    expect(getTriggerMemory('busy', EMPTY).seen.has('x')).toBe(true);
    const { seen } = getTriggerMemory('idle', { ...EMPTY, seen: ['saved'] });
    expect([seen.has('x'), seen.has('saved')]).toEqual([false, true]);
  });
});

describe('the static data', () => {
  test('is read as it was written, and only by its owner', () => {
    const data = {};
    const written = {
      ids: ['a'],
      fields: '{}',
      seen: ['h1', 'h2'],
      dropsToken: true,
      secret: 's',
      values: 'v',
    };
    writeStaticData(data, 'me', written);
    writeStaticData(data, 'me', { tables: ['t'] });
    expect(readStaticData(data, 'me')).toEqual({ ...written, tables: ['t'], addresses: [] });
    expect(readStaticData(data, 'you')).toEqual(readStaticData({}, 'you'));
  });

  test("the first write of an owner removes another owner's data", () => {
    const data = {};
    writeStaticData(data, 'them', { ids: ['a'], addresses: ['https://n8n.example'], seen: ['h'] });
    writeStaticData(data, 'me', { tables: ['t'] });
    expect(readStaticData(data, 'me')).toEqual({ ...readStaticData({}, 'me'), tables: ['t'] });
    expect(readStaticData(data, 'them')).toEqual(readStaticData({}, 'them'));
  });

  test('an empty list of deliveries is read as empty', () => {
    const data = {};
    writeStaticData(data, 'me', { seen: [] });
    expect(readStaticData(data, 'me').seen).toEqual([]);
  });

  test('values of another type are ignored', () => {
    const odd = {
      owner: 'me',
      ids: 'x',
      tables: [1, 'a'],
      addresses: null,
      dropsToken: 'yes',
      seen: 3,
      fields: {},
    };
    expect(readStaticData(odd as never, 'me')).toEqual({ ...readStaticData({}, 'me'), tables: ['a'] });
  });
});

describe('stored fields', () => {
  const createField = (slug: string, options: unknown[] = []) =>
    toField(
      fullFieldSchema.parse({ slug, name: slug, type: 'Dropdown', description: 'x'.repeat(200), options }),
    );

  test('contain only the properties that a delivery needs', () => {
    const text = storeTables('', [{ id: 't', fields: [createField('a', [{ label: 'L', value: 'v' }])] }]);
    expect(text).not.toContain('xxx');
    const field = readStoredTable(text, 't')!.field('a', '');
    expect(field).toMatchObject({
      slug: 'a',
      name: 'a',
      kind: 'choice',
      options: [{ label: 'L', value: 'v' }],
    });
    expect(readStoredTable(text, 'u')).toBeUndefined();
    expect(readStoredTable('', 't')).toBeUndefined();
    const two = storeTables(text, [{ id: 'constructor', fields: [] }]);
    expect([readStoredTable(two, 't'), readStoredTable(two, 'constructor')]).not.toContain(undefined);
  });

  test('are not stored above 50,000 characters', () => {
    const options = Array.from({ length: 5_000 }, (_, n) => ({ label: `Choice ${n}`, value: `${n}` }));
    expect(storeTables('', [{ id: 't', fields: [createField('a', options)] }])).toBe('');
  });
});
