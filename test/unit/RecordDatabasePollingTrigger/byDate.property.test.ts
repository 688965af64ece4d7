import fc from 'fast-check';
import {
  type DatedEntry,
  compareDated,
  findReadStart,
} from '../../../nodes/RecordDatabasePollingTrigger/byDate';
import {
  type Change,
  type PollState,
  createPollState,
  formatPollState,
  parsePollState,
} from '../../../nodes/RecordDatabasePollingTrigger/pollState';
import { ServiceClock } from '../../../nodes/RecordDatabasePollingTrigger/serviceClock';
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

const formatDate = (ms: number) => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');

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
    arbitrary: fc.record({
      do: fc.constant('poll' as const),
      ignoresFilter: fc.boolean(),
      maxChanges: fc.constantFrom(1, 2, Infinity),
    }),
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

  constructor(
    public now = START,
    private readonly clock = CLOCK,
  ) {
    this.state = createPollState(SCOPE);
    this.state = this.compare([], { storesWithoutReturning: true }).state;
    this.saved = formatPollState(this.state);
  }

  private compare(entries: DatedEntry[], { storesWithoutReturning = false, maxChanges = Infinity } = {}) {
    const { clock, now } = this;
    const after = findReadStart(this.state, clock, now);
    const reading = { entries, after, readAt: now, upTo: clock.findLatest(now) };
    const context = { clock, event: 'UPSERT' as const, overlap: OVERLAP };
    return compareDated(this.state, reading, { ...context, storesWithoutReturning, maxChanges });
  }

  write(id: string, late: number): void {
    const version = ++this.versions;
    const date = this.clock.format(this.now - late * 1000);
    this.records.set(id, { key: id, date, digest: `v${version}`, values: { id, version } });
  }

  /** Returns the changes of one poll. n8n saves the state if there are any. */
  poll(ignoresFilter = false, maxChanges = Infinity): Change[] {
    const start = findReadStart(this.state, this.clock, this.now);
    const entries = [...this.records.values()].filter(({ date }) => ignoresFilter || date > start);
    const { changes, state } = this.compare(entries, { maxChanges });
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
    else if (one.do === 'poll') watched.poll(one.ignoresFilter, one.maxChanges);
    else watched.restart();
  }
  // What became visible late, while several polls returned their changes, is read by the poll after them.
  while (watched.state.position.backlog) watched.poll();
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
  expect(formatPollState(watched.state).length).toBeLessThan(201_000);
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

test('a poll returns at most its maximum, also after a restart and of one second', () => {
  const watched = new Watched();
  for (let i = 0; i < 25; i++) watched.write(`second ${i}`, 0);
  const pollAll = () => [1, 2, 3, 4, 5].map(() => watched.poll(false, 10).length);
  expect(pollAll()).toEqual([10, 10, 5, 0, 0]);
  watched.now += 60_000;
  for (let i = 0; i < 15; i++) watched.write(`later ${i}`, i);
  watched.poll(false, 10);
  watched.restart();
  expect(pollAll()).toEqual([5, 0, 0, 0, 0]);
  expect(new Set(watched.returned.map(({ key }) => key)).size).toBe(40);
});

test('versions of one second keep the order in which they were read', () => {
  const watched = new Watched();
  for (let i = 0; i < 20; i++) watched.write(`r${i}`, 0);
  expect(watched.poll().map(({ key }) => key)).toEqual(Array.from({ length: 20 }, (_, i) => `r${i}`));
});

test.each([true, false])(
  '10,000 versions of one second come once each, in parts (rest kept: %s)',
  (keepsRest) => {
    const date = formatDate(START);
    const entries = Array.from({ length: 10_000 }, (_, id) => ({
      key: `r${id}`,
      date,
      digest: '',
      values: {},
    }));
    // The state has room for about 4,000 versions.
    const limits = { maxChanges: 1000, maxLength: 32_000 };
    const context = {
      clock: CLOCK,
      storesWithoutReturning: false,
      event: 'INSERT' as const,
      overlap: OVERLAP,
      ...limits,
    };
    let state = createPollState(SCOPE);
    let rest: ReturnType<typeof compareDated>['rest'];
    const found: string[] = [];
    for (let poll = 0; poll < 15; poll++) {
      const now = START + poll * 60_000;
      const after = findReadStart(state, CLOCK, now);
      // The first poll finds a part of them, in the order of the service.
      const visible = poll === 0 ? entries.slice(0, 200) : entries;
      const reading = rest ?? { entries: date > after ? visible : [], after, readAt: now };
      const compared = compareDated(state, reading, context);
      expect(compared.changes.length).toBeLessThanOrEqual(1000);
      found.push(...compared.changes.map(({ key }) => key));
      state = parsePollState(formatPollState(compared.state), SCOPE)!;
      expect(formatPollState(state).length).toBeLessThan(33_000);
      rest = keepsRest ? compared.rest : undefined;
    }
    expect(new Set(found).size).toBe(10_000);
    // When the state has no room any more, those of the first poll may come again.
    expect(found.length).toBeLessThanOrEqual(10_200);
  },
);

test('a date that was not read completely is left to the next poll', () => {
  const [first, second] = [formatDate(START), formatDate(START + 1000)];
  const entries = [first, second].map((date) => ({ key: date, date, digest: '', values: {} }));
  const context = {
    clock: CLOCK,
    storesWithoutReturning: false,
    event: 'INSERT' as const,
    overlap: OVERLAP,
  };
  const state = createPollState(SCOPE);
  const reading = { entries, after: '', readAt: START, continueFrom: second };
  const compared = compareDated(state, reading, context);
  expect(compared.changes.map(({ key }) => key)).toEqual([first]);
  expect(findReadStart(compared.state, CLOCK, START)).toBe(first);
});
