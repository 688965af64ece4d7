import { DateTime, IANAZone } from 'luxon';
import { DATE_TIME_FORMAT } from '../records';
import { InputError } from '../service';

/** Milliseconds. A clock that is set back shows an hour twice within this time. */
export const DAY_MS = 86_400_000;

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

  /** The highest date that the clock has shown up to a moment. */
  findLatest(now: number): string {
    return addSeconds(this.format(now), this.countSetBack(now - DAY_MS, now));
  }

  /**
   * The date after which to read, so that all dates since `floor` are included. It is lower than `floor` if the clock was
   * set back.
   */
  findReadStart(floor: string, now: number): string {
    return addSeconds(floor, -this.countSetBack(Date.parse(`${floor.replace(' ', 'T')}Z`) - DAY_MS, now));
  }

  /** Seconds by which the clock was set back between two moments. */
  private countSetBack(from: number, to: number): number {
    return Math.max(0, this.zone.offset(from) - this.zone.offset(to)) * 60;
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
