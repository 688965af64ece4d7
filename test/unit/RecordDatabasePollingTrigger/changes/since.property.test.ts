import fc from 'fast-check';
import type { Change } from '../../../../nodes/RecordDatabasePollingTrigger/changes/change';
import {
  type DatedEntry,
  detectNewEntries,
  findReadFloor,
} from '../../../../nodes/RecordDatabasePollingTrigger/changes/since';
import {
  createPollState,
  type PollState,
  takeOver,
} from '../../../../nodes/RecordDatabasePollingTrigger/pollState';
import {
  formatPollState,
  parsePollState,
} from '../../../../nodes/RecordDatabasePollingTrigger/pollStateText';
import { expectEqual } from '../../../expectEqual';
import { createSeed, scaleRuns } from '../../../randomness';

/** Random changes of a table, polls and restarts, against the pure core of By a Date Field. */
const RUNS = scaleRuns(3000);
const POLLS = scaleRuns(20_000);
const OVERLAP = 60;
const SCOPE = 'scope';
const START = Date.UTC(2026, 0, 1);

const formatDate = (ms: number) => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('write' as const), id: fc.nat(6), late: fc.nat(OVERLAP - 1) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remove' as const), id: fc.nat(6) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('wait' as const), seconds: fc.nat(2 * OVERLAP) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('poll' as const), ignoresFilter: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
);
const steps = fc.array(step, { maxLength: 40 });
type Steps = typeof steps extends fc.Arbitrary<infer List> ? List : never;

/** A table whose records are read by date, and the trigger's state. */
class Watched {
  readonly records = new Map<string, DatedEntry>();
  readonly returned: Change[] = [];
  now = START;
  state: PollState;
  private saved: string;
  private versions = 0;
  private processes = 0;

  constructor() {
    const context = { now: this.now, remembersOnly: true, event: 'UPSERT' as const, overlap: OVERLAP };
    this.state = detectNewEntries(createPollState(SCOPE, 'p0'), { entries: [] }, context).state;
    this.saved = formatPollState(this.state);
  }

  write(id: string, late: number): void {
    const version = ++this.versions;
    const date = formatDate(this.now - late * 1000);
    this.records.set(id, { key: id, date, digest: `v${version}`, values: { id, version } });
  }

  /** Returns the changes of one poll. n8n saves the state if there are any. */
  poll(ignoresFilter = false): Change[] {
    const floor = findReadFloor(this.state);
    const entries = [...this.records.values()].filter(({ date }) => ignoresFilter || date > floor);
    const context = { now: this.now, remembersOnly: false, event: 'UPSERT' as const, overlap: OVERLAP };
    const { changes, state } = detectNewEntries(this.state, { entries }, context);
    this.state = state;
    if (changes.length > 0) this.saved = formatPollState(state);
    this.returned.push(...changes);
    return changes;
  }

  restart(): void {
    this.state = takeOver(parsePollState(this.saved, SCOPE)!, `p${++this.processes}`, true);
  }
}

function run(all: Steps, restarts: boolean): Watched {
  const watched = new Watched();
  for (const one of all) {
    if (one.do === 'write') watched.write(String(one.id), one.late);
    else if (one.do === 'remove') watched.records.delete(String(one.id));
    else if (one.do === 'wait') watched.now += one.seconds * 1000;
    else if (one.do === 'poll') watched.poll(one.ignoresFilter);
    else if (restarts) watched.restart();
  }
  watched.poll();
  return watched;
}

test(`${RUNS} runs: the final state of each record is returned, and a poll without changes returns nothing`, () => {
  fc.assert(
    fc.property(steps, (all) => {
      const watched = run(all, true);
      const last = new Map(watched.returned.map(({ key, values }) => [key, values]));
      for (const { key, values } of watched.records.values()) expectEqual(last.get(key), values);
      expectEqual(watched.poll(), []);
      watched.now += OVERLAP * 10_000;
      expectEqual(watched.poll(), []);
    }),
    { numRuns: RUNS, seed: createSeed() },
  );
});

test(`${RUNS} runs without restarts: each version is returned once, and the quiet state is empty`, () => {
  fc.assert(
    fc.property(steps, (all) => {
      const watched = run(all, false);
      const versions = watched.returned.map(({ values }) => values.version);
      expectEqual(new Set(versions).size, versions.length);
      watched.now += 60 * 60_000;
      watched.poll();
      expectEqual(watched.state.tracked.size, 0);
    }),
    { numRuns: RUNS, seed: createSeed() },
  );
});

test('the stored text gives the same state', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const { state } = run(all, true);
      expectEqual(parsePollState(formatPollState(state), SCOPE), state);
      expectEqual(parsePollState(formatPollState(state), 'other'), undefined);
    }),
    { numRuns: Math.ceil(RUNS / 10), seed: createSeed() },
  );
});

test('10,000 records of one second are returned once and leave a state within its bound', () => {
  const watched = new Watched();
  for (let i = 0; i < 10_000; i++) watched.write(`record-${i}`, 0);
  expect(watched.poll()).toHaveLength(10_000);
  expect(formatPollState(watched.state).length).toBeLessThan(201_000);
  expect(watched.poll()).toEqual([]);
  watched.now += 1000;
  watched.write('next', 0);
  expect(watched.poll()).toHaveLength(1);
});

test('a date in the future does not hide later records', () => {
  const watched = new Watched();
  watched.write('future', -1_000_000);
  expect(watched.poll()).toHaveLength(1);
  watched.now += 1000;
  watched.write('now', 0);
  expect(watched.poll().map(({ key }) => key)).toEqual(['now']);
  expect(watched.poll()).toEqual([]);
});

test(`${POLLS} polls, each with a change: the state stays as small as after the first hour`, () => {
  const watched = new Watched();
  const pollPerMinute = (count: number) => {
    const sizes = Array.from({ length: count }, (_, index) => {
      watched.now += 60_000;
      watched.write(`r${index % 500}`, 0);
      expect(watched.poll()).toHaveLength(1);
      return formatPollState(watched.state).length;
    });
    return Math.max(...sizes);
  };
  const firstHour = pollPerMinute(60);
  // A poll number may have some more digits than in the first hour.
  expect(pollPerMinute(POLLS)).toBeLessThan(firstHour + 100);
  expect(watched.state.tracked.size).toBeLessThan(15);
});
