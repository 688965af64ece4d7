import {
  type DatedContext,
  type DatedRead,
  compareDated,
  findReadStart,
} from '../../../nodes/RecordDatabasePollingTrigger/byDate';
import {
  type PollState,
  createPollState,
  formatKnown,
} from '../../../nodes/RecordDatabasePollingTrigger/pollState';
import { ServiceClock } from '../../../nodes/RecordDatabasePollingTrigger/serviceClock';

/** Single comparisons by date: what is returned, and where the next poll starts. */
const MINUTE = 60_000;
const START = Date.UTC(2026, 5, 1, 12);
const OVERLAP = 300;
const UTC = new ServiceClock('UTC');
const at = (seconds: number): string => UTC.format(START + seconds * 1000);

const createState = (more: Partial<PollState> = {}): PollState => ({
  ...createPollState('scope'),
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

  test('in the order of their dates; polls that return something are counted', () => {
    const polled = new Polled();
    polled.write('b', at(2));
    polled.write('a', at(1));
    expect([polled.poll(), polled.state.pollCount]).toEqual([['a', 'b'], 1]);
    expect([polled.poll(), polled.state.pollCount]).toEqual([[], 1]);
    polled.write('c', at(3));
    expect([polled.poll(), polled.state.pollCount]).toEqual([['c'], 2]);
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
    // The version is not read any more, so it needs not be known.
    polled.now += OVERLAP * 1000;
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
    polled.state.known.set('hash-of9', at(9));
    expect(polled.poll({ continueFrom: at(1) })).toHaveLength(1);
    expect(polled.state.position.backlog).toMatchObject({ continueFrom: at(1), returnedUpTo: '' });
  });
});

describe('without room for all versions', () => {
  const LINE = `20260601120000 12345678\n`.length;

  /** The dates that are known, and the floor, after a poll has returned five versions. */
  function limit(maxLength: number, more: Partial<DatedRead> = {}) {
    const polled = new Polled({ maxLength });
    for (let second = 1; second <= 5; second++) polled.write(`r${second}`, at(second));
    polled.poll(more);
    const { known, position } = polled.state;
    return { dates: [...known.values()].sort(), position, known };
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

test.each([-100, -30, 10, 70])(
  'a clock that is set back while several polls return changes hides none (more from minute %i on)',
  (begin) => {
    const clock = new ServiceClock('Europe/Berlin');
    const polled = new Polled({ clock, maxChanges: 5 });
    const written: string[] = [];
    const found: string[] = [];
    for (let minute = -150; minute < 150; minute += 10) {
      polled.now = Date.UTC(2026, 9, 25, 1) + minute * MINUTE;
      // Fifteen are more than a poll returns: the polls fall behind for some hours.
      const count = minute >= begin && minute < begin + 50 ? 15 : 1;
      for (let index = 0; index < count; index++) {
        const key = `${minute} ${index}`;
        written.push(key);
        polled.write(key, clock.format(polled.now - index * 10_000));
      }
      found.push(...polled.poll());
    }
    while (polled.state.position.backlog) found.push(...polled.poll());
    found.push(...polled.poll());
    expect(found.sort()).toEqual(written.sort());
  },
);
