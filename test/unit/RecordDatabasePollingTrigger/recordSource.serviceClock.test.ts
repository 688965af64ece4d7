import { DateTime } from 'luxon';
import { compareEntriesWithState } from '../../../nodes/RecordDatabasePollingTrigger/byDate';
import { createPollState } from '../../../nodes/RecordDatabasePollingTrigger/pollState';
import { ServiceClock, addSeconds } from '../../../nodes/RecordDatabasePollingTrigger/recordSource';
import { expectEqual } from '../../expectEqual';
import { scaleSize } from '../../randomness';

/** The service's clock, and changes found across the hours in which it is set back or forward. */
const berlin = new ServiceClock('Europe/Berlin');
// The clock in Berlin goes from 03:00 to 02:00 at this moment, and from 02:00 to 03:00 at the other.
const SET_BACK = Date.UTC(2026, 9, 25, 1);
const SET_FORWARD = Date.UTC(2026, 2, 29, 1);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

test('for a day after the clock was set back, dates of an hour later count as present', () => {
  expect(berlin.findLatestClockDate(SET_BACK - 1000)).toBe('2026-10-25 02:59:59');
  expect(berlin.findLatestClockDate(SET_BACK + 10 * MINUTE)).toBe('2026-10-25 03:10:00');
  expect(berlin.findLatestClockDate(SET_BACK + 1441 * MINUTE)).toBe('2026-10-26 02:01:00');
  expect(berlin.findLatestClockDate(SET_FORWARD)).toBe('2026-03-29 03:00:00');
});

test('a reading begins an hour earlier if the clock was set back after its floor', () => {
  const floor = '2026-10-25 02:50:00';
  expect(berlin.findReadStartDate(floor, SET_BACK - 1000)).toBe(floor);
  expect(berlin.findReadStartDate(floor, SET_BACK + MINUTE)).toBe('2026-10-25 01:50:00');
  // However much later: nothing may have changed for weeks, or n8n was off.
  expect(berlin.findReadStartDate(floor, SET_BACK + 1e5 * MINUTE)).toBe('2026-10-25 01:50:00');
  expect(berlin.findReadStartDate('2026-10-27 02:50:00', SET_BACK + 1e5 * MINUTE)).toBe(
    '2026-10-27 02:50:00',
  );
  // This date does not exist.
  expect(berlin.findReadStartDate('2026-03-29 02:30:00', SET_FORWARD + MINUTE)).toBe('2026-03-29 02:30:00');
  expect(berlin.findReadStartDate('', SET_BACK)).toBe('');
});

const ZONES = [
  'Etc/GMT+12',
  'America/New_York',
  'UTC',
  'Europe/Berlin',
  'Australia/Lord_Howe',
  'Pacific/Kiritimati',
];

/** Moments around a change of the clock of the zone in 2026, or any moment if it has none. */
function findChanges(zone: string): number[] {
  const offset = (ms: number) => DateTime.fromMillis(ms, { zone }).offset;
  const list = (count: number, from: number, step: number) =>
    Array.from({ length: count }, (_, n) => from + n * step).filter((ms) => offset(ms) !== offset(ms - step));
  // The day before which a clock was changed, then the hour.
  const changes = list(365, Date.UTC(2026, 0, 1), 24 * HOUR).flatMap((day) =>
    list(24, day - 23 * HOUR, HOUR),
  );
  return changes.length > 0 ? changes : [Date.UTC(2026, 5, 1)];
}

describe.each(ZONES)('%s', (zone) => {
  test.each(scaleSize([100], [1, zone === 'Europe/Berlin' ? 20_000 : 1_000]))(
    '78 of 78 changes are found once, with %d dates in the future',
    (future) => {
      const clock = new ServiceClock(zone);
      for (const change of findChanges(zone)) {
        const entries = Array.from({ length: future }, (_, index) => ({
          key: `future ${index}`,
          date: clock.formatTime(change + 10 * 3_600_000 + index * 500_000),
          valuesHash: '',
          values: {},
        }));
        let state = createPollState('scope');
        const returned: string[] = [];
        // Polls each two minutes from 90 minutes before the change on, each after one change.
        for (let poll = 0; poll < 90; poll++) {
          const now = change + (poll * 2 - 90) * MINUTE;
          if (poll < 78)
            entries.push({ key: `r${poll}`, date: clock.formatTime(now), valuesHash: '', values: {} });
          const after = clock.findReadStartDate(state.floor, now);
          const latest = clock.findLatestClockDate(now);
          const read = entries.filter(({ date }) => date > after && date <= latest);
          const compared = compareEntriesWithState({ state, now }, read, 300, { clock, event: 'UPSERT' });
          returned.push(...compared.changes.map(({ key }) => key));
          state = compared.state;
          expectEqual(state.floor <= clock.findLatestClockDate(now), true);
        }
        expect(returned).toEqual(Array.from({ length: 78 }, (_, index) => `r${index}`));
      }
    },
  );
});

test('seconds are added to a date, and nothing to none', () => {
  expect(addSeconds('2026-12-31 23:59:59', 1)).toBe('2027-01-01 00:00:00');
  expect(addSeconds('', -1)).toBe('');
});
