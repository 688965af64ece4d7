import fc from 'fast-check';
import type { Change } from '../../../../nodes/RecordDatabasePollingTrigger/changes/change';
import { digestRecord } from '../../../../nodes/RecordDatabasePollingTrigger/changes/digest';
import {
  type AbsentRecord,
  detectSnapshotChanges,
  listMissingIds,
} from '../../../../nodes/RecordDatabasePollingTrigger/changes/snapshot';
import { createPollState, takeOver } from '../../../../nodes/RecordDatabasePollingTrigger/pollState';
import {
  formatPollState,
  parsePollState,
} from '../../../../nodes/RecordDatabasePollingTrigger/pollStateText';
import { toField } from '../../../../nodes/shared/model/fields';
import { fullFieldSchema } from '../../../../nodes/shared/model/responses/tables';
import { expectEqual } from '../../../expectEqual';
import { createSeed, scaleRuns } from '../../../randomness';

/** Random changes of a table, polls and killed executions, against the pure core of By Snapshot. */
const RUNS = scaleRuns(3000);
const POLLS = scaleRuns(20_000);
const SCOPE = 'scope';
const SLUGS = ['title', 'stage'];
const FIELDS = SLUGS.map((slug) => toField(fullFieldSchema.parse({ slug, name: slug, type: 'Text' })));

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
  private state = createPollState(SCOPE, 'p0');
  private saved = formatPollState(this.state);
  private processes = 0;
  private now = 0;

  /** Returns the changes of one poll, which reads at most `checks` missing records. */
  poll(checks = Infinity, maxLength?: number): Change[] {
    this.now += 60_000;
    const records = [...this.records.values()].filter(isOpen).map((values) => ({
      id: values.id,
      values: { ...values },
      digest: digestRecord({ ...values }, SLUGS, FIELDS),
    }));
    const absent = new Map(
      listMissingIds(this.state, records)
        .slice(0, checks)
        .map((id): [string, AbsentRecord] => {
          const values = this.records.get(id);
          return [id, values ? { status: 'leftFilter', values: { ...values } } : { status: 'deleted' }];
        }),
    );
    const { changes, state } = detectSnapshotChanges(
      this.state,
      { records, slugs: SLUGS, absent },
      { now: this.now, remembersOnly: false, events: ['INSERT', 'UPDATE', 'DELETE', 'LEFT_FILTER'] },
      maxLength,
    );
    this.state = state;
    if (changes.length > 0) this.saved = formatPollState(state);
    return changes;
  }

  apply(changes: Change[]): void {
    for (const { event, key, values } of changes) {
      if (event === 'DELETE' || event === 'LEFT_FILTER') this.copies.delete(key);
      else this.copies.set(key, values);
    }
  }

  restart(): void {
    this.state = takeOver(parsePollState(this.saved, SCOPE)!, `p${++this.processes}`, true);
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
    arbitrary: fc.record({ do: fc.constant('poll' as const), checks: fc.constantFrom(0, 1, 99) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('kill' as const) }) },
);

test(`${RUNS} runs: the copies equal the table, also when an execution was killed`, () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const watched = new Watched();
      for (const one of steps) {
        if (one.do === 'write')
          watched.records.set(one.id, { id: one.id, title: one.title, stage: one.stage });
        else if (one.do === 'remove') watched.records.delete(one.id);
        else if (one.do === 'poll') watched.apply(watched.poll(one.checks));
        else {
          // The state is saved, and the execution is lost.
          watched.poll();
          watched.restart();
        }
      }
      watched.apply(watched.poll());
      expectEqual(watched.copies, watched.listOpen());
      expectEqual(watched.poll(), []);
    }),
    { numRuns: RUNS, seed: createSeed() },
  );
});

test('an update names the changed fields, and a repeated change has the same sequence', () => {
  const watched = new Watched();
  watched.records.set('r', { id: 'r', title: 'a', stage: 'open' });
  const [created] = watched.poll();
  expect(created).toMatchObject({ event: 'INSERT', changedFields: null, sequence: 1 });
  watched.records.set('r', { id: 'r', title: 'b', stage: 'open' });
  const [updated] = watched.poll();
  expect(updated).toMatchObject({ event: 'UPDATE', changedFields: ['title'], sequence: 2 });
  watched.restart();
  expect(watched.poll()).toMatchObject([{ event: 'UPDATE', values: { title: 'b' }, sequence: 2 }]);
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
