import { toField } from '../../../nodes/client/fields/kinds';
import { fullFieldSchema } from '../../../nodes/client/responses/schemas';
import {
  type AbsentRecord,
  SNAPSHOT_EVENTS,
  compareSnapshot,
  hashFields,
  listMissingIds,
} from '../../../nodes/RecordDatabasePollingTrigger/bySnapshot';
import {
  type PollState,
  type SnapshotRecord,
  createPollState,
} from '../../../nodes/RecordDatabasePollingTrigger/pollState';

/** One comparison with a given state: what is returned, and what the next poll starts from. */
const MINUTE = 60_000;
const NOW = Date.UTC(2026, 5, 1);
const createField = (slug: string, type = 'Text') =>
  toField(fullFieldSchema.parse({ slug, name: slug, type }));
const FIELDS = ['title', 'stage', 'added'].map((slug) => createField(slug));
const SLUGS = ['title', 'stage'];
const hash = (values: object, slugs = SLUGS) => hashFields({ ...values }, slugs, FIELDS);
const HASH_OF_A = hash({ title: 'a' });

type Given = Partial<Omit<PollState, 'records'>> & { records?: Record<string, SnapshotRecord> };

/** The state after poll 7, whose executions are not over yet. */
const createState = ({ records = {}, ...more }: Given = {}): PollState => ({
  ...createPollState('scope', 'p', 0),
  slugs: SLUGS,
  pollCount: 7,
  returnedAt: new Map([[7, NOW - MINUTE]]),
  ...more,
  records: new Map(Object.entries(records)),
});

interface PollRead {
  present?: Record<string, object>;
  absent?: Record<string, AbsentRecord>;
  slugs?: string[];
}

function compare(
  state: PollState,
  { present = {}, absent = {}, slugs = SLUGS }: PollRead,
  more: Partial<Parameters<typeof compareSnapshot>[2]> = {},
) {
  const records = Object.entries(present).map(([id, values]) => ({
    id,
    values: { id, ...values },
    hashes: hash(values, slugs),
  }));
  const reading = { records, slugs, absent: new Map(Object.entries(absent)) };
  const context = { now: NOW, storesWithoutReturning: false, events: [...SNAPSHOT_EVENTS], ...more };
  const compared = compareSnapshot(state, reading, context);
  return { ...compared, records: Object.fromEntries(compared.state.records) };
}

describe('the hash of a field', () => {
  const fields = [createField('name', 'Name')];
  const hashName = (values: object) => hashFields({ ...values }, ['name'], fields);

  test.each([{}, { name: null }, { name: { first_name: '', last_name: null } }, { 'name[first_name]': '' }])(
    'of no value is the same: %j',
    (values) => expect(hashName(values)).toBe('.'),
  );

  test('is that of each part with a value', () => {
    const found = [
      { name: { first_name: 'a', last_name: '' } },
      { name: { first_name: 'b', last_name: '' } },
      { 'name[first_name]': 'a' },
      { 'name[first_name]': 'a', 'name[last_name]': 'b' },
    ].map(hashName);
    expect(new Set(found).size).toBe(4);
    expect(hashName({ 'name[first_name]': 'a', 'name[last_name]': '' })).toBe(found[2]);
  });
});

describe('missing records', () => {
  const mark = { event: 'DELETE' as const, pollNumber: 7 };
  const records = { a: { value: 'x' }, gone: { value: '', mark }, b: { value: 'x' }, c: { value: 'x' } };

  test('are those that are not read; one that is gone only if its event is due again', () => {
    expect(listMissingIds(createState({ records }), [{ id: 'b' }])).toEqual(['a', 'c']);
    const state = createState({ records, pollsToRepeat: [7] });
    expect(listMissingIds(state, [])).toEqual(['a', 'gone', 'b', 'c']);
  });

  test.each([
    ['a', ['b', 'c', 'a']],
    ['c', ['a', 'b', 'c']],
    ['no longer missing', ['a', 'b', 'c']],
  ])('begin after the one that was checked last: %s', (checkedId, ids) => {
    expect(listMissingIds(createState({ records, checkedId }), [])).toEqual(ids);
  });
});

describe('what is returned', () => {
  const known = { r: { value: HASH_OF_A } };

  test.each<[string, Given, PollRead, object[]]>([
    ['a new record', {}, { present: { r: {} } }, [{ event: 'INSERT', key: 'r', changedFields: null }]],
    ['an equal record', { records: known }, { present: { r: { title: 'a' } } }, []],
    [
      'a changed record',
      { records: known },
      { present: { r: { title: 'a', stage: 'x' } } },
      [{ event: 'UPDATE', changedFields: ['stage'], values: { stage: 'x' } }],
    ],
    [
      'a deleted record',
      { records: known },
      { absent: { r: { status: 'deleted' } } },
      [{ event: 'DELETE', values: { id: 'r' }, changedFields: null }],
    ],
    [
      'a record that left the filter',
      { records: known },
      { absent: { r: { status: 'leftFilter', values: { id: 'r', title: 'b' } } } },
      [{ event: 'LEFT_FILTER', values: { title: 'b' } }],
    ],
    [
      'a hidden record',
      { records: known },
      { absent: { r: { status: 'notVisible' } } },
      [{ event: 'NOT_VISIBLE' }],
    ],
    ['a record that is still there', { records: known }, { absent: { r: { status: 'stillThere' } } }, []],
    ['a record that was not checked', { records: known }, {}, []],
    [
      'a record that came back',
      { records: { r: { value: '', mark: { event: 'DELETE', pollNumber: 7 } } } },
      { present: { r: { title: 'a' } } },
      [{ event: 'INSERT', changedFields: null }],
    ],
    [
      'a record that is gone and was returned',
      { records: { r: { value: '', mark: { event: 'DELETE', pollNumber: 7 } } } },
      { absent: { r: { status: 'deleted' } } },
      [],
    ],
  ])('for %s', (_what, state, reading, changes) => {
    const compared = compare(createState(state), reading);
    expect(compared.changes).toMatchObject(changes.map((change) => ({ pollNumber: 8, ...change })));
    expect(compared.state.pollCount).toBe(7 + changes.length);
    expect([...compared.state.returnedAt]).toEqual([[7, NOW - MINUTE], ...changes.map(() => [8, NOW])]);
  });

  test.each<[string, Parameters<typeof compare>[2]]>([
    ['by a first poll', { storesWithoutReturning: true }],
    ['of events that are not chosen', { events: [] }],
  ])('nothing %s, and the values are stored without a mark', (_what, context) => {
    const records = { changed: { value: HASH_OF_A }, gone: { value: HASH_OF_A } };
    const compared = compare(
      createState({ records }),
      { present: { changed: { title: 'b' }, added: {} }, absent: { gone: { status: 'deleted' } } },
      context,
    );
    expect(compared.changes).toEqual([]);
    expect(compared.records).toEqual({ changed: { value: hash({ title: 'b' }) }, added: { value: '..' } });
    expect(compared.state.pollCount).toBe(7);
  });

  test('at most the maximum; the other records stay as they were', () => {
    const records = { a: { value: HASH_OF_A }, b: { value: HASH_OF_A }, c: { value: HASH_OF_A } };
    const reading: PollRead = {
      present: { a: { title: 'b' }, b: { title: 'b' }, added: {} },
      absent: { c: { status: 'deleted' } },
      slugs: ['added', ...SLUGS],
    };
    const compared = compare(createState({ records }), reading, { maxChanges: 1 });
    expect(compared.changes.map(({ key }) => key)).toEqual(['a']);
    expect(Object.keys(compared.records)).toEqual(['a', 'b', 'c']);
    // What the field that the table did not have holds is unknown, so it is not compared.
    expect([compared.records.b, compared.records.c]).toEqual([
      { value: `?${HASH_OF_A}` },
      { value: `?${HASH_OF_A}` },
    ]);
    const next = compare(compared.state, reading);
    expect(next.changes.map(({ event, key, changedFields }) => [event, key, changedFields])).toEqual([
      ['UPDATE', 'b', ['title']],
      ['INSERT', 'added', null],
      ['DELETE', 'c', null],
    ]);
  });
});

describe('the mark of a returned change', () => {
  const mark = { event: 'UPDATE' as const, pollNumber: 7 };

  test('stays while its execution may run, also without a change and without a check', () => {
    const records = { read: { value: HASH_OF_A, mark }, missing: { value: HASH_OF_A, mark } };
    const reading = { present: { read: { title: 'a' } } };
    expect(compare(createState({ records }), reading).records).toEqual(records);
    const over = createState({ records, returnedAt: new Map() });
    expect(compare(over, reading).records).toEqual({
      read: { value: HASH_OF_A },
      missing: { value: HASH_OF_A },
    });
  });

  test('keeps a record that is gone until then', () => {
    const records = { r: { value: '', mark: { ...mark, event: 'DELETE' as const } } };
    expect(compare(createState({ records }), {}).records).toEqual(records);
    expect(compare(createState({ records, returnedAt: new Map() }), {}).records).toEqual({});
    // It is due again, and was not checked.
    const due = createState({ records, returnedAt: new Map(), pollsToRepeat: [7] });
    const compared = compare(due, {});
    expect([compared.records, compared.state.pollsToRepeat]).toEqual([records, [7]]);
  });
});

describe('after a restart', () => {
  const due = (event: 'INSERT' | 'UPDATE' | 'DELETE' | 'LEFT_FILTER', value: string) =>
    createState({ records: { r: { value, mark: { event, pollNumber: 7 } } }, pollsToRepeat: [7] });
  const same = { present: { r: { title: 'a' } } };
  const other = { present: { r: { title: 'b' } } };
  const deleted: PollRead = { absent: { r: { status: 'deleted' } } };

  test.each<[string, PollState, PollRead, string, number]>([
    ['a created record comes again', due('INSERT', HASH_OF_A), same, 'INSERT', 7],
    ['a created record that was changed since is another one', due('INSERT', HASH_OF_A), other, 'INSERT', 8],
    ['an updated record comes again', due('UPDATE', HASH_OF_A), same, 'UPDATE', 7],
    ['an updated record that was changed since is another one', due('UPDATE', HASH_OF_A), other, 'UPDATE', 8],
    ['a deleted record comes again', due('DELETE', ''), deleted, 'DELETE', 7],
    ['a record that left the filter and was deleted since', due('LEFT_FILTER', ''), deleted, 'DELETE', 8],
    ['a created record that was deleted since', due('INSERT', HASH_OF_A), deleted, 'DELETE', 8],
    ['a deleted record that came back', due('DELETE', ''), same, 'INSERT', 8],
  ])('%s', (_what, state, reading, event, pollNumber) => {
    const compared = compare(state, reading);
    expect(compared.changes).toMatchObject([{ event, pollNumber, changedFields: null }]);
    const isRepeated = pollNumber === 7 ? { isRepeated: true } : {};
    expect(compared.records.r?.mark).toEqual({ event, pollNumber, ...isRepeated });
    expect(compared.state.pollCount).toBe(pollNumber);
    expect(compared.state.pollsToRepeat).toEqual([]);
    expect(compared.state.returnedAt.get(pollNumber)).toBe(NOW);
  });

  test('a change that finds no room stays due', () => {
    const mark = { event: 'UPDATE' as const, pollNumber: 7 };
    const records = { a: { value: HASH_OF_A, mark }, b: { value: HASH_OF_A, mark } };
    const state = createState({ records, pollsToRepeat: [6, 7], returnedAt: new Map() });
    const reading = { present: { a: { title: 'a' }, b: { title: 'a' } } };
    const compared = compare(state, reading, { maxChanges: 1 });
    expect(compared.records.b).toEqual({ value: HASH_OF_A, mark });
    expect(compared.state.pollsToRepeat).toEqual([7]);
    expect(compare(compared.state, reading).changes).toMatchObject([{ key: 'b', pollNumber: 7 }]);
  });
});

describe('without room for the hashes of all fields', () => {
  const mark = { event: 'DELETE' as const, pollNumber: 7 };
  const records = { a: { value: HASH_OF_A }, gone: { value: '', mark } };
  const present = { a: { title: 'a' } };

  test('a record has one hash, and one that is gone has none', () => {
    const long = compare(createState({ records }), { present }, { maxLength: 1_000 });
    expect(long.records).toEqual(records);
    const short = compare(createState({ records }), { present }, { maxLength: 10 });
    expect(short.records).toEqual({
      a: { value: expect.stringMatching(/^=.{8}$/) as string },
      gone: { value: '', mark },
    });
    // One that is missing and was not checked keeps its hash.
    const later = compare(short.state, {}, { maxLength: 10 });
    expect(later.records).toEqual(short.records);
    expect(compare(later.state, { present: { a: { title: 'a', added: 'x' } } }).changes).toEqual([]);
    expect(compare(later.state, { present: { a: { title: 'b' } } }).changes).toMatchObject([
      { event: 'UPDATE', changedFields: null },
    ]);
  });

  test('a field that the table did not have does not count', () => {
    const state = createState({ records: { a: { value: `${HASH_OF_A}?` } }, slugs: [...SLUGS, 'added'] });
    const short = compare(state, { slugs: [...SLUGS, 'added'] }, { maxLength: 5 });
    expect(compare(short.state, { present, slugs: [...SLUGS, 'added'] }).changes).toEqual([]);
  });

  test('exactly the maximum is room enough', () => {
    const length = `a ${HASH_OF_A}`.length;
    const shorten = (maxLength: number) =>
      compare(createState(), { present }, { maxLength, storesWithoutReturning: true });
    expect(shorten(length).records.a?.value).toBe(HASH_OF_A);
    expect(shorten(length - 1).records.a?.value).toMatch(/^=/);
  });

  test('the one hash depends on the values and their fields, not on the order and on blank fields', () => {
    const shorten = (values: object, slugs: string[]) =>
      compare(createState(), { present: { r: values }, slugs }, { maxLength: 1 }).records.r?.value;
    const value = shorten({ title: 'a', stage: 'b' }, ['title', 'stage']);
    expect(shorten({ title: 'a', stage: 'b' }, ['stage', 'title', 'added'])).toBe(value);
    expect(shorten({ title: 'b', stage: 'a' }, ['title', 'stage'])).not.toBe(value);
    expect(shorten({ title: 'a', added: 'b' }, ['title', 'added'])).not.toBe(value);
  });
});
