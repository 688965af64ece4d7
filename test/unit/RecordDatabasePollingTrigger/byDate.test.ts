import {
  type DatedContext,
  type DatedRead,
  ServiceClock,
  compareDated,
  findReadStart,
} from '../../../nodes/RecordDatabasePollingTrigger/byDate';
import {
  type PollState,
  createPollState,
  formatKnown,
} from '../../../nodes/RecordDatabasePollingTrigger/pollState';

/** Single comparisons by date: what is returned, and where the next poll starts. */
const MINUTE = 60_000;
const START = Date.UTC(2026, 5, 1, 12);
const OVERLAP = 300;
const UTC = new ServiceClock('UTC');
const at = (seconds: number): string => UTC.format(START + seconds * 1000);

const createState = (more: Partial<PollState> = {}): PollState => ({
  ...createPollState('scope', 'p', START),
  ...more,
});
const createEntry = (key: string, date: string) => ({ key, date, digest: '', values: { key } });

/** A table that is polled. Each poll reads it as `readByDate` does, and as far as `readsUpTo`. */
class Polled {
  state = createState();
  entries: DatedRead['entries'] = [];
  now = START;

  constructor(private readonly context: Partial<DatedContext> = {}) {}

  write(key: string, date: string): void {
    this.entries.push(createEntry(key, date));
  }

  /** Returns the keys. */
  poll(more: Partial<DatedRead> = {}): string[] {
    const { clock = UTC } = this.context;
    const after = findReadStart(this.state, clock, this.now);
    const entries = this.entries.filter(({ date }) => date > after);
    const context = {
      clock,
      now: this.now,
      storesWithoutReturning: false,
      event: 'UPSERT' as const,
      overlap: OVERLAP,
    };
    const reading = { entries, after, readAt: this.now, ...more };
    const { changes, state } = compareDated(this.state, reading, { ...context, ...this.context });
    this.state = state;
    return changes.map(({ key }) => key);
  }

  pollUntilNothing(): string[] {
    const found = this.poll();
    return found.length > 0 ? [...found, ...this.pollUntilNothing()] : [];
  }
}

describe('what is returned', () => {
  test('entries after the start of the reading, also if the service returns others', () => {
    const polled = new Polled();
    const entries = [-1, 0, 1].map((seconds) => createEntry(`${seconds}`, at(seconds)));
    expect(polled.poll({ entries, after: at(0) })).toEqual(['1']);
  });

  test('in the order of their dates, with the number of the poll', () => {
    const state = createState({ pollCount: 3 });
    const entries = [createEntry('b', at(2)), createEntry('a', at(1))];
    const context = {
      clock: UTC,
      now: START,
      storesWithoutReturning: false,
      event: 'UPSERT' as const,
      overlap: OVERLAP,
    };
    const compared = compareDated(state, { entries, after: '', readAt: START }, context);
    expect(compared.changes.map(({ key, pollNumber }) => [key, pollNumber])).toEqual([
      ['a', 4],
      ['b', 4],
    ]);
    expect(compared.state.pollCount).toBe(4);
    const due = { ...compared.state, pollsToRepeat: [4] };
    const repeated = compareDated(due, { entries, after: '', readAt: START }, context);
    expect(repeated.changes.map(({ pollNumber }) => pollNumber)).toEqual([4, 4]);
    expect(repeated.state).toMatchObject({ pollCount: 4, pollsToRepeat: [] });
  });
});

describe('the floor', () => {
  test('stays behind the newest date: what becomes visible later than its date is found', () => {
    const polled = new Polled();
    polled.write('a', at(0));
    expect(polled.poll()).toEqual(['a']);
    polled.now += OVERLAP * 1000 - 1;
    expect(polled.poll()).toEqual([]);
    polled.write('late', at(-OVERLAP + 1));
    expect(polled.poll()).toEqual(['late']);
  });

  test('moves up to the newest date in quiet times, and never back: nothing is returned twice', () => {
    const polled = new Polled();
    polled.write('a', at(0));
    expect(polled.poll()).toEqual(['a']);
    // The execution is over, so the version is not known any more.
    polled.now += 11 * MINUTE;
    expect(polled.poll()).toEqual([]);
    expect([polled.state.position.floor, polled.state.known.size]).toEqual([at(0), 0]);
    polled.write('b', at(1));
    expect(polled.poll()).toEqual(['b']);
    expect(polled.state.position.floor).toBe(at(0));
    expect(polled.poll()).toEqual([]);
  });
});

describe('more changes than one poll returns', () => {
  test('of one date, in polls that are hours apart, come once each', () => {
    const polled = new Polled({ maxChanges: 10 });
    for (let id = 0; id < 25; id++) polled.write(`r${id}`, at(0));
    const sizes = [1, 2, 3, 4].map(() => {
      polled.now += 60 * MINUTE;
      return polled.poll().length;
    });
    expect(sizes).toEqual([10, 10, 5, 0]);
  });

  test.each([250, 210])('of three dates come once each without room for all hashes: %i', (count) => {
    const polled = new Polled({ maxChanges: 100, maxLength: 400 });
    for (let second = 0; second < 3; second++)
      for (let id = 0; id < count; id++) polled.write(`${second} ${id}`, at(second));
    const found = polled.pollUntilNothing();
    expect(found).toHaveLength(3 * count);
    expect(new Set(found).size).toBe(3 * count);
    expect(polled.poll()).toEqual([]);
  });

  test('of a date that was cut in another order than that of its hashes come again without room', () => {
    const polled = new Polled({ maxChanges: 3, maxLength: 10 });
    for (const second of [0, 1]) for (const id of [0, 1]) polled.write(`${second} ${id}`, at(second));
    expect(polled.poll()).toHaveLength(3);
    expect(polled.state.position.backlog).toMatchObject({ continueFrom: at(1), returnedUpTo: '' });
    expect(polled.poll()).toEqual(['1 0', '1 1']);
  });

  test('the last hash of one date says nothing about the next date', () => {
    const polled = new Polled({ maxChanges: 3, maxLength: 10 });
    for (let id = 0; id < 4; id++) polled.write(`${id}`, at(0));
    polled.poll();
    // A version of a later date, for which there is no room either.
    polled.state.known.set('hash-of9', { date: at(9) });
    expect(polled.poll({ continueFrom: at(1) })).toHaveLength(1);
    expect(polled.state.position.backlog).toMatchObject({ continueFrom: at(1), returnedUpTo: '' });
  });
});

describe('a version that is due again', () => {
  const mark = { pollNumber: 7 };
  const due = () =>
    createState({
      pollCount: 7,
      pollsToRepeat: [7],
      returnedAt: new Map([[7, START - MINUTE]]),
      known: new Map([['hash-of1', { date: at(0), mark }]]),
      position: { floor: at(100), watermark: at(100), advancedAt: START },
    });
  const compare = (more: Partial<DatedRead>) =>
    compareDated(
      due(),
      { entries: [], after: at(-1), readAt: START, ...more },
      { clock: UTC, now: START, storesWithoutReturning: false, event: 'UPSERT', overlap: OVERLAP },
    ).state;

  test.each<[string, Partial<DatedRead>, number[]]>([
    ['is given up if it is not found', {}, []],
    ['is given up if it is not found before the end of a part', { continueFrom: at(1) }, []],
    ['stays due if its date was not read completely', { continueFrom: at(0) }, [7]],
    ['stays due if the reading began after it', { after: at(0) }, [7]],
  ])('%s', (_what, reading, pollsToRepeat) => {
    const state = compare(reading);
    expect(state.pollsToRepeat).toEqual(pollsToRepeat);
    expect(state.known.size).toBe(pollsToRepeat.length);
  });

  test('is read again, although the floor is above it', () => {
    expect(findReadStart(due(), UTC, START)).toBe(at(-1));
  });
});

describe('without room for all versions', () => {
  const LINE = `20260601120000 1 12345678\n`.length;

  /** The dates that are known, and the floor, after a poll has returned five versions. */
  function limit(maxLength: number, more: Partial<DatedRead> = {}) {
    const polled = new Polled({ maxLength });
    for (let second = 1; second <= 5; second++) polled.write(`r${second}`, at(second));
    polled.poll(more);
    const { known, position } = polled.state;
    return { dates: [...known.values()].map(({ date }) => date).sort(), position, known };
  }

  test('those with the earliest dates go, and the floor is the last of these', () => {
    expect(limit(5 * LINE).dates).toHaveLength(5);
    const { dates, position } = limit(2 * LINE);
    expect(dates).toEqual([at(4), at(5)]);
    expect(position.floor).toBe(at(3));
  });

  test('a backlog stays as it is', () => {
    const { dates, position } = limit(2 * LINE, { continueFrom: at(5) });
    expect(dates).toEqual([at(3), at(4)]);
    expect(position).toMatchObject({ floor: at(2), backlog: { continueFrom: at(5) } });
    expect(position.backlog).not.toHaveProperty('returnedUpTo');
  });

  test('the text never has more characters than the maximum', () => {
    for (let maxLength = LINE; maxLength < 5 * LINE; maxLength++)
      expect(formatKnown(limit(maxLength).known).length).toBeLessThanOrEqual(maxLength);
  });
});

describe('a backlog while the clock is set back', () => {
  const berlin = new ServiceClock('Europe/Berlin');
  const SET_BACK = Date.UTC(2026, 9, 25, 1);

  /** The floor after a backlog that began and ended at these minutes after the clock was set back. */
  function findFloor(startedAt: number, endedAt: number, newest: string): string {
    const polled = new Polled({ clock: berlin });
    polled.now = SET_BACK + endedAt * MINUTE;
    const continueFrom = '2026-10-25 01:00:00';
    const backlog = { continueFrom, startedAt: SET_BACK + startedAt * MINUTE };
    polled.state.position = { floor: '', watermark: '', advancedAt: 0, backlog };
    polled.write('last', newest);
    expect(polled.poll()).toEqual(['last']);
    expect(polled.state.position.backlog).toBeUndefined();
    return polled.state.position.floor;
  }

  test('ends with a floor that the clock showed at its start, or with a lower one', () => {
    expect(findFloor(-10, 70, '2026-10-25 03:10:00')).toBe('2026-10-25 02:50:00');
    expect(findFloor(-10, 70, '2026-10-25 02:40:00')).toBe('2026-10-25 02:35:00');
  });

  test('at another time ends with the floor of its dates', () => {
    expect(findFloor(61, 130, '2026-10-25 04:10:00')).toBe('2026-10-25 04:05:00');
  });
});
