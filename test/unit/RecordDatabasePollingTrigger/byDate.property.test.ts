import fc from 'fast-check';
import { type DatedEntry, compareEntriesWithState } from '../../../nodes/RecordDatabasePollingTrigger/byDate';
import {
  type Change,
  type PollState,
  createPollState,
  formatPollState,
  parsePollState,
} from '../../../nodes/RecordDatabasePollingTrigger/pollState';
import { ServiceClock } from '../../../nodes/RecordDatabasePollingTrigger/recordSource';
import { expectEqual } from '../../expectEqual';
import { createSeed, scaleRuns } from '../../randomness';

/** Random changes of a table, polls and restarts, against the pure core of By a Date Field. */
const RUNS = scaleRuns(3000);
const POLLS = scaleRuns(20_000);
const OVERLAP = 60;
const SCOPE = 'scope';
const START = Date.UTC(2026, 0, 1);
const CLOCK = new ServiceClock('UTC');

/** In Berlin, 03:00 becomes 02:00 at this moment. */
const SET_BACK = Date.UTC(2025, 9, 26, 1);

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('write' as const), id: fc.nat(6), late: fc.nat(OVERLAP - 1) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remove' as const), id: fc.nat(6) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      seconds: fc.oneof(fc.nat(2 * OVERLAP), fc.nat(30 * OVERLAP)),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('poll' as const) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
);
const steps = fc.array(step, { maxLength: 40 });
type Steps = typeof steps extends fc.Arbitrary<infer List> ? List : never;

/** A table whose records are read by date, and the trigger's state. */
class Watched {
  readonly records = new Map<string, DatedEntry>();
  readonly returned: Change[] = [];
  state: PollState;
  private saved: string;
  private versions = 0;
  /** Dates by milliseconds: tests write tens of thousands of records in some seconds. */
  private readonly dates = new Map<number, string>();

  constructor(
    public now = START,
    private readonly clock = CLOCK,
  ) {
    this.state = createPollState(SCOPE);
    this.saved = formatPollState(this.state);
  }

  write(id: string, late: number): void {
    const version = ++this.versions;
    const at = this.now - late * 1000;
    const date = this.dates.get(at) ?? this.clock.formatTime(at);
    this.dates.set(at, date);
    this.records.set(id, { key: id, date, valuesHash: `v${version}`, values: { id, version } });
  }

  /** Returns the changes of one poll. n8n saves the state if there are any. */
  poll(): Change[] {
    const { clock, now } = this;
    const start = clock.findReadStartDate(this.state.floor, now);
    const latest = clock.findLatestClockDate(now);
    const entries = [...this.records.values()].filter(({ date }) => date > start && date <= latest);
    const source = { event: 'UPSERT' as const, clock };
    const { changes, state } = compareEntriesWithState({ state: this.state, now }, entries, OVERLAP, source);
    this.state = state;
    if (changes.length > 0) this.saved = formatPollState(state);
    this.returned.push(...changes);
    return changes;
  }

  restart(): void {
    this.state = parsePollState(this.saved, SCOPE)!;
  }
}

function run(all: Steps, watched = new Watched()): Watched {
  for (const one of all) {
    if (one.do === 'write') watched.write(String(one.id), one.late);
    else if (one.do === 'remove') watched.records.delete(String(one.id));
    else if (one.do === 'wait') watched.now += one.seconds * 1000;
    else if (one.do === 'poll') watched.poll();
    else watched.restart();
  }
  watched.poll();
  return watched;
}

/** The final state of each record was returned, and no version twice. */
function expectComplete(watched: Watched): void {
  const last = new Map(watched.returned.map(({ key, values }) => [key, values]));
  for (const { key, values } of watched.records.values()) expectEqual(last.get(key), values);
  const versions = watched.returned.map(({ values }) => values.version);
  expectEqual(new Set(versions).size, versions.length);
  expectEqual(watched.poll(), []);
}

test(`${RUNS} runs while the clock is set back: the final state of each record is returned, each version once`, () => {
  const clock = new ServiceClock('Europe/Berlin');
  fc.assert(
    fc.property(steps, fc.nat(180), (all, minutes) => {
      expectComplete(run(all, new Watched(SET_BACK + (30 - minutes) * 60_000, clock)));
    }),
    { numRuns: RUNS, seed: createSeed() },
  );
});

test(`${RUNS} runs: the final state of each record is returned, each version once, and the quiet state is empty`, () => {
  fc.assert(
    fc.property(steps, (all) => {
      const watched = run(all);
      expectComplete(watched);
      watched.now += OVERLAP * 1000;
      expectEqual(watched.poll(), []);
      expectEqual(watched.state.known.size, 0);
      watched.restart();
      expectEqual(watched.poll(), []);
    }),
    { numRuns: RUNS, seed: createSeed() },
  );
});

test('the stored text gives the same state', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const { state } = run(all);
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
  expect(formatPollState(watched.state).length).toBeLessThan(221_000);
  expect(watched.poll()).toEqual([]);
  watched.now += 1000;
  watched.write('next', 0);
  expect(watched.poll()).toHaveLength(1);
});

test('a date in the future hides no record, and is found when it has come', () => {
  const watched = new Watched();
  watched.write('future', -100);
  expect(watched.poll()).toEqual([]);
  watched.now += 1000;
  watched.write('now', 0);
  expect(watched.poll().map(({ key }) => key)).toEqual(['now']);
  expect(watched.poll()).toEqual([]);
  watched.now += 99_000;
  expect(watched.poll().map(({ key }) => key)).toEqual(['future']);
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
  expect(watched.state.known.size).toBeLessThan(15);
});

test('versions of one second keep the order in which they were read', () => {
  const watched = new Watched();
  for (let i = 0; i < 20; i++) watched.write(`r${i}`, 0);
  expect(watched.poll().map(({ key }) => key)).toEqual(Array.from({ length: 20 }, (_, i) => `r${i}`));
});

test('without room for all versions, those with the earliest dates go, and are not returned again', () => {
  const watched = new Watched();
  for (let i = 0; i < 30_000; i++) watched.write(`record-${i}`, i % 50);
  expect(watched.poll()).toHaveLength(30_000);
  expect(formatPollState(watched.state).length).toBeLessThan(221_000);
  expect(watched.state.known.size).toBeGreaterThan(19_000);
  expect(watched.poll()).toEqual([]);
  for (let i = 0; i < 30_000; i++) watched.write(`record-${i}`, 0);
  expect(watched.poll()).toHaveLength(30_000);
  expect(watched.state.known.size).toBe(0);
  expect(watched.poll()).toEqual([]);
});
