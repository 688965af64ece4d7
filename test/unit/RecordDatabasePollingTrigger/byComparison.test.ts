import {
  type ComparisonChange,
  compareSnapshotWithState,
  hashFields,
  listMissingIds,
} from '../../../nodes/RecordDatabasePollingTrigger/byComparison';
import { type PollState, createPollState } from '../../../nodes/RecordDatabasePollingTrigger/pollState';
import { parseField } from '../records/fields/fieldTools';

/** One comparison with a given state: what is returned, and what the next poll starts from. */
const createField = (slug: string, type = 'Text') => parseField({ slug, name: slug, type });
const FIELDS = ['title', 'stage', 'added'].map((slug) => createField(slug));
const SLUGS = ['title', 'stage'];
const hash = (values: object, slugs = SLUGS) => hashFields({ ...values }, slugs, FIELDS);
const HASH_OF_A = hash({ title: 'a' });
const createGone = (
  event: ComparisonChange['event'],
  key = 'r',
  values: object = { id: key },
): ComparisonChange => ({ event, key, values: { ...values }, changedFields: null });

type Given = Partial<Omit<PollState, 'records'>> & { records?: Record<string, string> };

const createState = ({ records = {}, ...more }: Given = {}): PollState => ({
  ...createPollState('scope'),
  slugs: SLUGS,
  ...more,
  records: new Map(Object.entries(records)),
});

interface PollRead {
  present?: Record<string, object>;
  gone?: ComparisonChange[];
  slugs?: string[];
}

function compare(state: PollState, { present = {}, gone = [], slugs = SLUGS }: PollRead, maxBytes?: number) {
  const records = Object.entries(present).map(([id, values]) => ({ id, ...values }));
  const reading = { records, missing: gone, fields: FIELDS, slugs, hasWatchedFields: false };
  const compared = compareSnapshotWithState(state, reading, maxBytes);
  return { ...compared, records: Object.fromEntries(compared.state.records) };
}

describe('the hash of a field', () => {
  const fields = [createField('name', 'Name')];
  const hashName = (values: object) => hashFields({ ...values }, ['name'], fields);

  test.each([{}, { name: null }, { name: { first_name: '', last_name: null } }])(
    'of no value is the same: %j',
    (values) => expect(hashName(values)).toBe('.'),
  );

  test('is that of each part with a value', () => {
    const found = [
      { name: { first_name: 'a', last_name: '' } },
      { name: { first_name: 'b', last_name: '' } },
      { name: { first_name: 'a', last_name: 'b' } },
    ].map(hashName);
    expect(new Set(found).size).toBe(3);
  });
});

describe('missing records', () => {
  const records = { a: 'x', b: 'x', c: 'x' };

  test('are those that are not read', () => {
    expect(listMissingIds(createState({ records }), [{ id: 'b' }])).toEqual(['a', 'c']);
  });
});

describe('what is returned', () => {
  const known = { r: HASH_OF_A };

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
      { gone: [createGone('DELETE')] },
      [{ event: 'DELETE', values: { id: 'r' }, changedFields: null }],
    ],
    [
      'a record that left the filter',
      { records: known },
      { gone: [createGone('LEFT_FILTER', 'r', { id: 'r', title: 'b' })] },
      [{ event: 'LEFT_FILTER', values: { title: 'b' } }],
    ],
    [
      'a hidden record',
      { records: known },
      { gone: [createGone('NOT_VISIBLE')] },
      [{ event: 'NOT_VISIBLE' }],
    ],
    ['a missing record that is still there, or that was not read', { records: known }, {}, []],
  ])('for %s', (_what, state, reading, changes) => {
    const compared = compare(createState(state), reading);
    expect(compared.changes).toMatchObject(changes);
  });

  test('a record that is gone is not known any more, and is created if it comes back', () => {
    const gone = compare(createState({ records: known }), { gone: [createGone('DELETE')] });
    expect(gone.records).toEqual({});
    const back = compare(gone.state, { present: { r: { title: 'a' } } });
    expect(back.changes).toMatchObject([{ event: 'INSERT', changedFields: null }]);
  });

  test('a missing record that was not read stays as it was, also if the table has another field', () => {
    const slugs = ['added', ...SLUGS];
    const compared = compare(createState({ records: { a: HASH_OF_A } }), { slugs });
    expect(compared.changes).toEqual([]);
    // What the field that the table did not have holds is unknown, so it is not compared.
    expect(compared.records).toEqual({ a: `?${HASH_OF_A}` });
    const next = compare(compared.state, { slugs, present: { a: { title: 'b', added: 'x' } } });
    expect(next.changes).toMatchObject([{ event: 'UPDATE', key: 'a', changedFields: ['title'] }]);
  });
});

describe('without room for the hashes of all fields', () => {
  const records = { a: HASH_OF_A };
  const present = { a: { title: 'a' } };

  test('a record has one hash', () => {
    const long = compare(createState({ records }), { present }, 1_000);
    expect(long.records).toEqual(records);
    const short = compare(createState({ records }), { present }, 8);
    expect(short.records).toEqual({ a: expect.stringMatching(/^=.{8}$/) as string });
    // One that is missing and was not checked keeps its hash.
    const later = compare(short.state, {}, 8);
    expect(later.records).toEqual(short.records);
    expect(compare(later.state, { present: { a: { title: 'a', added: 'x' } } }).changes).toEqual([]);
    expect(compare(later.state, { present: { a: { title: 'b' } } }).changes).toMatchObject([
      { event: 'UPDATE', changedFields: null },
    ]);
  });

  test('a field that the table did not have does not count', () => {
    const state = createState({ records: { a: `${HASH_OF_A}?` }, slugs: [...SLUGS, 'added'] });
    const short = compare(state, { slugs: [...SLUGS, 'added'] }, 5);
    expect(compare(short.state, { present, slugs: [...SLUGS, 'added'] }).changes).toEqual([]);
  });

  test('exactly the maximum is room enough', () => {
    const size = JSON.stringify([['a', HASH_OF_A]]).length;
    const shorten = (maxBytes: number) => compare(createState(), { present }, maxBytes);
    expect(shorten(size).records.a).toBe(HASH_OF_A);
    expect(shorten(size - 1).records.a).toMatch(/^=/);
  });

  test('the one hash depends on the values and their fields, not on the order and on blank fields', () => {
    const shorten = (values: object, slugs: string[]) =>
      compare(createState(), { present: { r: values }, slugs }, 1).records.r;
    const value = shorten({ title: 'a', stage: 'b' }, ['title', 'stage']);
    expect(shorten({ title: 'a', stage: 'b' }, ['stage', 'title', 'added'])).toBe(value);
    expect(shorten({ title: 'b', stage: 'a' }, ['title', 'stage'])).not.toBe(value);
    expect(shorten({ title: 'a', added: 'b' }, ['title', 'added'])).not.toBe(value);
  });
});
