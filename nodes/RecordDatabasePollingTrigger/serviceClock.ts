/**
 * What the clock of the service shows in its time zone, and calculations with its dates. `ServiceClock` handles the
 * hour that a clock shows twice. `ensureNoFutureDates` checks the Service Time Zone.
 */
import { DateTime, IANAZone } from 'luxon';
import { DATE_TIME_FORMAT } from '../records';
import { InputError } from '../service';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;

/** Clocks change at most once in this time. */
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Adds seconds to a date in the service's format; '' stays ''. */
export const addSeconds = (date: string, seconds: number): string =>
  date === ''
    ? ''
    : DateTime.fromFormat(date, DATE_TIME_FORMAT, { zone: 'utc' })
        .plus({ seconds })
        .toFormat(DATE_TIME_FORMAT);

/**
 * The clock of the service in its time zone. The service's dates are local text without an offset. When a clock is set
 * back, it shows one hour twice: dates of the second time are not higher than those of the first.
 */
export class ServiceClock {
  private readonly zone: IANAZone;

  /** @param timeZone IANA name */
  constructor(timeZone: string) {
    this.zone = IANAZone.create(timeZone);
  }

  get timeZone(): string {
    return this.zone.name;
  }

  /** What the clock shows at a moment, in milliseconds. */
  format(ms: number): string {
    return DateTime.fromMillis(ms, { zone: this.zone }).toFormat(DATE_TIME_FORMAT);
  }

  /** The highest date that the clock has shown up to a moment. Dates above it are in the future. */
  findLatest(now: number): string {
    const setBack = this.findSetBack(now - DAY_MS, now);
    const shown = this.format(now);
    if (setBack === undefined) return shown;
    const before = this.format(setBack - SECOND_MS);
    return before > shown ? before : shown;
  }

  /**
   * The date above which all dates lie that the clock shows after it showed `floor`, up to the moment `until`. It is
   * below `floor` only if the clock is set back in this time. `until` is a day after `floor` by default.
   */
  findReadStart(floor: string, until = Infinity): string {
    if (floor === '') return '';
    // The clock may skip the date. An earlier moment does no harm.
    const from = Math.min(...this.listCandidates(floor));
    const setBack = this.findSetBack(from, Math.min(until, from + DAY_MS));
    if (setBack === undefined) return floor;
    const start = addSeconds(this.format(setBack), -1);
    return start < floor ? start : floor;
  }

  /** Whether the clock shows a date twice. */
  isAmbiguous(date: string): boolean {
    return this.listCandidates(date).filter((moment) => this.format(moment) === date).length > 1;
  }

  /** The moments that a date means with the offsets before and after a change of the clock. */
  private listCandidates(date: string): number[] {
    const asUtc = Date.parse(`${date.replace(' ', 'T')}Z`);
    const offsets = new Set([asUtc - DAY_MS, asUtc + DAY_MS].map((moment) => this.zone.offset(moment)));
    return [...offsets].map((offset) => asUtc - offset * MINUTE_MS);
  }

  /** Finds the first moment after the clock was set back; undefined if it was not. */
  private findSetBack(from: number, to: number): number | undefined {
    const later = this.zone.offset(to);
    if (to <= from || this.zone.offset(from) <= later) return undefined;
    let [before, after] = [from, to];
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      if (this.zone.offset(middle) === later) after = middle;
      else before = middle;
    }
    return after;
  }
}

/** Seconds by which the clocks of n8n and the service may differ. Time zones differ by at least 15 minutes. */
const CLOCK_TOLERANCE = 600;

/**
 * Compares creation dates with the Service Time Zone. The service writes them by its own clock, so none is in the future.
 * @throws InputError if one is
 */
export function ensureNoFutureDates(created: unknown[], clock: ServiceClock, now: number): void {
  const latest = addSeconds(clock.findLatest(now), CLOCK_TOLERANCE);
  const future = created.find((date) => typeof date === 'string' && date > latest);
  if (future === undefined) return;
  throw new InputError(
    `The service has written ${String(future)} as a creation date, but in the time zone ${clock.timeZone} it is ${clock.format(now)} now`,
    'Open the Record Database API credential and give the time zone in which the service writes "created_at" under Service Time Zone. If it is right, correct the clock of n8n or of the service.',
  );
}
