import fc from 'fast-check';
import {
  type DatedEntry,
  ServiceClock,
  compareDated,
  findReadStart,
} from '../../../nodes/RecordDatabasePollingTrigger/byDate';
import {
  type Change,
  type PollState,
  adoptState,
  createPollState,
  formatPollState,
  parsePollState,
} from '../../../nodes/RecordDatabasePollingTrigger/pollState';
import { expectEqual } from '../../expectEqual';
import { createSeed, scaleRuns } from '../../randomness';

/** Random changes of a table, polls and restarts, against the pure core of By a Date Field. */
const RUNS = scaleRuns(3000);
const POLLS = scaleRuns(20_000);
const OVERLAP = 60;
const SCOPE = 'scope';
const START = Date.UTC(2026, 0, 1);
const CLOCK = new ServiceClock('UTC');

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
    this.state = createPollState(SCOPE, 'p0', this.now);
    this.state = this.compare([], { storesWithoutReturning: true }).state;
    this.saved = formatPollState(this.state);
  }

  private compare(entries: DatedEntry[], { storesWithoutReturning = false, maxChanges = Infinity } = {}) {
    const after = findReadStart(this.state, CLOCK, this.now);
    const reading = { entries, after, readAt: this.now, upTo: CLOCK.findLatest(this.now) };
    const context = { clock: CLOCK, now: this.now, event: 'UPSERT' as const, overlap: OVERLAP };
    return compareDated(this.state, reading, { ...context, storesWithoutReturning, maxChanges });
  }

  write(id: string, late: number): void {
    const version = ++this.versions;
    const date = formatDate(this.now - late * 1000);
    this.records.set(id, { key: id, date, digest: `v${version}`, values: { id, version } });
  }

  /** Returns the changes of one poll. n8n saves the state if there are any. */
  poll(ignoresFilter = false, maxChanges = Infinity): Change[] {
    const start = findReadStart(this.state, CLOCK, this.now);
    const entries = [...this.records.values()].filter(({ date }) => ignoresFilter || date > start);
    const { changes, state } = this.compare(entries, { maxChanges });
    this.state = state;
    if (changes.length > 0) this.saved = formatPollState(state);
    this.returned.push(...changes);
    return changes;
  }

  restart(): void {
    const process = `p${++this.processes}`;
    const adoption = { process, repeatAfterRestart: true, now: this.now, interval: 60_000 };
    this.state = adoptState(parsePollState(this.saved, SCOPE)!, adoption);
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
      expectEqual(watched.state.known.size, 0);
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
  // 25 of the first minute and 10 of the second are repeated, and 5 are new.
  expect(pollAll()).toEqual([10, 10, 10, 10, 0]);
  expect(new Set(watched.returned.map(({ key }) => key)).size).toBe(40);
  watched.restart();
  expect(watched.poll().length).toBe(5);
});

test('processes that poll in turns repeat each change at most once', () => {
  const watched = new Watched();
  let state = watched.state;
  const counts = new Map<unknown, number>();
  const processes = ['p0', 'p1', 'p2'];
  for (let poll = 0; poll < 60; poll++) {
    watched.now += 60_000;
    watched.write(`r${poll}`, 0);
    const process = processes[poll % 3]!;
    state = adoptState(watched.state, {
      process,
      repeatAfterRestart: true,
      now: watched.now,
      interval: 60_000,
    });
    watched.state = state;
    for (const { key } of watched.poll()) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const repeated = [...counts.values()].filter((count) => count > 1);
  expect(counts.size).toBe(60);
  expect(Math.max(...counts.values())).toBe(2);
  // Those of the first turn of each process, which cannot be told from a restart.
  expect(repeated.length).toBe(2);
});

test('a change is repeated once, and not after a day', () => {
  const watched = new Watched();
  watched.write('a', 0);
  watched.poll();
  watched.restart();
  expect(watched.poll()).toHaveLength(1);
  watched.restart();
  expect(watched.poll()).toEqual([]);
  watched.write('b', 0);
  watched.poll();
  watched.now += 25 * 3_600_000;
  watched.restart();
  expect(watched.poll()).toEqual([]);
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
    let state = createPollState(SCOPE, 'p0', START);
    let rest: ReturnType<typeof compareDated>['rest'];
    const found: string[] = [];
    for (let poll = 0; poll < 15; poll++) {
      const now = START + poll * 60_000;
      const after = findReadStart(state, CLOCK, now);
      // The first poll finds a part of them, in the order of the service.
      const visible = poll === 0 ? entries.slice(0, 200) : entries;
      const reading = rest ?? { entries: date > after ? visible : [], after, readAt: now };
      const compared = compareDated(state, reading, { ...context, now });
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
    now: START,
    storesWithoutReturning: false,
    event: 'INSERT' as const,
    overlap: OVERLAP,
  };
  const state = createPollState(SCOPE, 'p0', START);
  const reading = { entries, after: '', readAt: START, continueFrom: second };
  const compared = compareDated(state, reading, context);
  expect(compared.changes.map(({ key }) => key)).toEqual([first]);
  expect(findReadStart(compared.state, CLOCK, START)).toBe(first);
});
