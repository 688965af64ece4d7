import fc from 'fast-check';
import { isEqual } from 'lodash';
import {
  type ComparisonChange,
  compareSnapshotWithState,
  hashFields,
  listMissingIds,
} from '../../../nodes/RecordDatabasePollingTrigger/byComparison';
import {
  type Change,
  createPollState,
  formatPollState,
  parsePollState,
} from '../../../nodes/RecordDatabasePollingTrigger/pollState';
import { expectEqual } from '../../expectEqual';
import { createSeed, scaleRuns } from '../../randomness';
import { parseField } from '../records/fields/fieldTools';

/** Random changes of a table, polls and restarts, against the pure core of By Snapshot. */
const RUNS = scaleRuns(3000);
const POLLS = scaleRuns(20_000);
const SCOPE = 'scope';
const SLUGS = ['title', 'stage'];
const FIELDS = SLUGS.map((slug) => parseField({ slug, name: slug, type: 'Text' }));

interface StoredRecord {
  id: string;
  title: string;
  stage: string;
}

const isOpen = ({ stage }: StoredRecord) => stage === 'open';

/** A table whose open records are watched, and their copies. */
class Watched {
  readonly records = new Map<string, StoredRecord>();
  readonly copies = new Map<string, unknown>();
  private state = createPollState(SCOPE);
  private saved = formatPollState(this.state);

  /** Returns the changes of one poll, which reads at most `checks` missing records. */
  poll(checks = Infinity, maxBytes?: number): Change[] {
    const records = [...this.records.values()].filter(isOpen).map((values) => ({ ...values }));
    const gone = listMissingIds(this.state, records)
      .slice(0, checks)
      .map((key): ComparisonChange => {
        const values = this.records.get(key);
        const about = { key, changedFields: null };
        return values
          ? { ...about, event: 'LEFT_FILTER', values: { ...values } }
          : { ...about, event: 'DELETE', values: { id: key } };
      });
    const { changes, state } = compareSnapshotWithState(
      this.state,
      { records, missing: gone, fields: FIELDS, slugs: SLUGS, hasWatchedFields: false },
      maxBytes,
    );
    this.state = state;
    if (changes.length > 0) this.saved = formatPollState(state);
    return changes;
  }

  /** Changes the copies. Each change is one of its kind: no record is created twice, and no update changes nothing. */
  apply(changes: Change[]): void {
    for (const { event, key, values } of changes) {
      const copy = this.copies.get(key);
      expectEqual([event, copy === undefined], [event, event === 'INSERT']);
      if (event === 'UPDATE') expectEqual(isEqual(copy, values), false);
      if (event === 'DELETE' || event === 'LEFT_FILTER') this.copies.delete(key);
      else this.copies.set(key, values);
    }
  }

  restart(): void {
    this.state = parsePollState(this.saved, SCOPE)!;
  }

  get stateLength(): number {
    return formatPollState(this.state).length;
  }

  listOpen(): Map<string, unknown> {
    return new Map([...this.records].filter(([, record]) => isOpen(record)));
  }
}

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('write' as const),
      id: fc.nat(5).map(String),
      title: fc.constantFrom('', 'a', 'b'),
      stage: fc.constantFrom('open', 'open', 'done'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remove' as const), id: fc.nat(5).map(String) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('poll' as const),
      checks: fc.constantFrom(0, 1, 99),
      maxBytes: fc.constantFrom(1, undefined),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
);

test(`${RUNS} runs: each change is returned once, and the copies equal the table`, () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const watched = new Watched();
      for (const one of steps) {
        if (one.do === 'write')
          watched.records.set(one.id, { id: one.id, title: one.title, stage: one.stage });
        else if (one.do === 'remove') watched.records.delete(one.id);
        else if (one.do === 'poll') watched.apply(watched.poll(one.checks, one.maxBytes));
        else watched.restart();
      }
      watched.apply(watched.poll());
      expectEqual(watched.copies, watched.listOpen());
      expectEqual(watched.poll(), []);
    }),
    { numRuns: RUNS, seed: createSeed() },
  );
});

test('an update names the changed fields', () => {
  const watched = new Watched();
  watched.records.set('r', { id: 'r', title: 'a', stage: 'open' });
  const [created] = watched.poll();
  expect(created).toMatchObject({ event: 'INSERT', changedFields: null });
  watched.records.set('r', { id: 'r', title: 'b', stage: 'open' });
  const [updated] = watched.poll();
  expect(updated).toMatchObject({ event: 'UPDATE', changedFields: ['title'] });
});

test('without room for the hashes of fields, changes are still found', () => {
  const watched = new Watched();
  for (let i = 0; i < 100; i++) watched.records.set(`r${i}`, { id: `r${i}`, title: 'a', stage: 'open' });
  watched.poll(99, 1000);
  watched.records.set('r7', { id: 'r7', title: 'b', stage: 'open' });
  expect(watched.poll(99, 1000)).toMatchObject([{ key: 'r7', event: 'UPDATE', changedFields: null }]);
});

test(`${POLLS} polls, each with a created, an updated and a deleted record: the state has the size of the table`, () => {
  const watched = new Watched();
  const write = (id: number, title: string) =>
    watched.records.set(`r${id}`, { id: `r${id}`, title, stage: 'open' });
  for (let id = 0; id < 20; id++) write(id, 'a');
  watched.poll();
  const pollAfterChanges = (poll: number) => {
    write(poll + 20, 'a');
    write(poll + 19, `b${poll}`);
    watched.records.delete(`r${poll}`);
    expect(watched.poll()).toHaveLength(3);
    return watched.stateLength;
  };
  const sizes = Array.from({ length: POLLS }, (_, poll) => pollAfterChanges(poll));
  // IDs and poll numbers may have some more digits than in the first polls.
  const first = Math.max(...sizes.slice(0, 60));
  expect(Math.max(...sizes)).toBeLessThan(first + 500);
});

describe('fields', () => {
  const createFields = (slugs: string[]) =>
    slugs.map((slug) => parseField({ slug, name: slug, type: 'Text' }));
  const compare = (
    state: ReturnType<typeof createPollState>,
    values: Record<string, unknown>,
    slugs: string[],
    maxBytes?: number,
  ) =>
    compareSnapshotWithState(
      state,
      {
        records: [{ id: 'r', ...values }],
        missing: [],
        fields: createFields(slugs),
        slugs,
        hasWatchedFields: false,
      },
      maxBytes,
    );
  const start = (values: object, slugs: string[], maxBytes?: number) =>
    compare(createPollState(SCOPE), { ...values }, slugs, maxBytes).state;

  test.each([undefined, 1])('a field that is new in the table is no update (room for %s)', (maxBytes) => {
    const before = start({ title: 'a' }, ['title'], maxBytes);
    const added = compare(before, { title: 'a', done: 0 }, ['title', 'done'], maxBytes);
    expect(added.changes).toEqual([]);
    const { changes } = compare(added.state, { title: 'a', done: 1 }, ['title', 'done']);
    expect(changes).toMatchObject([{ event: 'UPDATE', changedFields: maxBytes ? null : ['done'] }]);
  });

  test('a field that is removed from the table is no update', () => {
    const before = start({ title: 'a', done: 1 }, ['title', 'done']);
    expect(compare(before, { title: 'a' }, ['title']).changes).toEqual([]);
  });

  test('100,000 updates of two of three fields: both are always listed', () => {
    const slugs = ['a', 'b', 'c'];
    const fields = createFields(slugs);
    const hash = (values: object) => hashFields({ ...values }, slugs, fields);
    const same = { c: 'same' };
    const before = hash({ a: 'x', b: 'y', ...same });
    const state = start({ a: 'x', b: 'y', ...same }, slugs);
    expect(state.records.get('r')).toBe(before);
    const [a, b] = [before.slice(0, 6), before.slice(6, 12)];
    for (let run = 0; run < scaleRuns(100_000); run++) {
      const after = hash({ a: `x${run}`, b: `y${run}`, ...same });
      expectEqual([after.slice(0, 6) === a, after.slice(6, 12) === b], [false, false]);
    }
  });
});

test.each(['a b', '100%', 'a%20b', 'ü/+=', 'a b%'])('the ID %j survives in the stored text', (id) => {
  const watched = new Watched();
  watched.records.set(id, { id, title: 'a', stage: 'open' });
  expect(watched.poll()).toMatchObject([{ key: id, event: 'INSERT' }]);
  watched.restart();
  expect(watched.poll()).toEqual([]);
  watched.records.delete(id);
  expect(watched.poll()).toMatchObject([{ key: id, event: 'DELETE' }]);
});
