import { InputError } from '../../shared/model/input/inputError';
import { isObject } from '../../shared/model/input/isObject';

const MINUTES_PER_DAY = 1440;

/** Polls per day of n8n's fixed modes. */
const POLLS_BY_MODE: Record<string, number> = {
  everyMinute: MINUTES_PER_DAY,
  everyHour: 24,
  everyDay: 1,
  everyWeek: 1 / 7,
  everyMonth: 1 / 30,
};

/**
 * Counts the values of one cron field such as `*`, `0-59/5`, `5/15`, `1-5`, `0,30`. `size` is the number of all values.
 * A step without an end reaches the last value.
 */
function countCronValues(field: string, size: number): number {
  const counts = field.split(',').map((part) => {
    const [range = '*', stepText] = part.split('/');
    const step = Number(stepText) || 1;
    if (range === '*') return Math.ceil(size / step);
    const [first = 0, end] = range.split('-').map(Number);
    const last = end ?? (stepText === undefined ? first : size - 1);
    return Math.ceil((last - first + 1) / step);
  });
  return Math.min(
    size,
    counts.reduce((sum, count) => sum + count, 0),
  );
}

/** The polls per day of a cron expression of five fields, or of six with seconds. Days and months do not count. */
function countCronPolls(expression: string): number {
  const fields = expression.trim().split(/\s+/);
  const [seconds = '0', minutes = '*', hours = '*'] = fields.length > 5 ? fields : ['0', ...fields];
  return countCronValues(seconds, 60) * countCronValues(minutes, 60) * countCronValues(hours, 24);
}

/** n8n runs Every X as a cron step: every 45 minutes are two polls an hour, at the minutes 0 and 45. */
function countStepPolls(value: unknown, unit: unknown): number {
  const step = `*/${Math.max(1, Number(value) || 1)}`;
  return countCronPolls(unit === 'hours' ? `0 ${step}` : `${step} *`);
}

function countEntryPolls(entry: unknown): number {
  if (!isObject(entry)) return 0;
  const { mode, value, unit, cronExpression } = entry;
  if (mode === 'everyX') return countStepPolls(value, unit);
  if (mode === 'custom') return countCronPolls(String(cronExpression ?? ''));
  return POLLS_BY_MODE[String(mode)] ?? 1;
}

/** Calculates how often n8n polls in a day from the parameter Poll Times. */
export const countPollsPerDay = (pollTimes: unknown[]): number =>
  pollTimes.map(countEntryPolls).reduce((sum, count) => sum + count, 0);

export interface DailyUse {
  /** Requests of one poll. */
  requests: number;
  pollsPerDay: number;
  /** Requests that the API key may make in a day; undefined if the service does not say. */
  dailyLimit: number | undefined;
  /** Percent. */
  maximumShare: number;
}

/** @throws InputError if the polls of a day use more than the maximum share of the daily limit */
export function ensureDailyShare({ requests, pollsPerDay, dailyLimit, maximumShare }: DailyUse): void {
  if (dailyLimit === undefined) return;
  const share = (100 * requests * pollsPerDay) / dailyLimit;
  if (share <= maximumShare) return;
  const polls = Math.round(pollsPerDay);
  throw new InputError(
    `The polls would use ${Math.ceil(share)} % of the ${dailyLimit} requests that the API key may make in a day: ${requests} requests for each of ${polls} polls`,
    `Poll less often, choose a filter that matches fewer records, find changes By a Date Field, or raise "Share of the Daily Limit" above ${maximumShare} %.`,
  );
}
