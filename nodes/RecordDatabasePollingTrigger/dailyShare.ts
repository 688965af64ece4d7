/**
 * The share of the daily request limit that polls may use. `ensureDailyShare` checks it after a request.
 * `countPollsPerDay` counts the polls of the parameter Poll Times.
 */
import { InputError, isObject, MAX_PAGE_SIZE } from '../service';

/**
 * Checks the number of requests of a poll in which nothing has changed.
 * @param dailyLimit requests that the API key may make in a day; undefined if that is not known
 * @throws InputError if the polls of a day use more than the maximum share of the limit
 */
export function ensureDailyShare(
  { pollsPerDay, maximumShare }: DailyShare,
  requests: number,
  dailyLimit: number | undefined,
): void {
  if (dailyLimit === undefined || pollsPerDay === undefined) return;
  const share = (100 * requests * pollsPerDay) / dailyLimit;
  if (share <= maximumShare) return;
  const polls = Math.round(pollsPerDay);
  const plural = requests === 1 ? 'request' : 'requests';
  throw new InputError(
    `The polls would use ${Math.ceil(share)} % of the ${dailyLimit} requests that the API key may make in a day: ${requests} ${plural} for each of ${polls} polls`,
    `Poll less often, choose a filter that matches fewer records, or raise "Share of the Daily Limit" above ${maximumShare} %.`,
  );
}

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

/** Names that n8n's cron library accepts in place of an expression. */
const POLLS_BY_NAME: Record<string, number> = {
  '@secondly': 60 * MINUTES_PER_DAY,
  '@minutely': MINUTES_PER_DAY,
  '@hourly': 24,
  '@daily': 1,
  '@weekdays': 1,
  '@weekends': 1,
  '@weekly': 1 / 7,
  '@monthly': 1 / 30,
  '@yearly': 1 / 365,
};

/**
 * The polls per day of a cron expression of five fields, or of six with seconds. Days and months do not count. NaN for
 * an expression of another form, which n8n accepts or refuses itself.
 */
function countCronPolls(expression: string): number {
  const named = POLLS_BY_NAME[expression.trim().toLowerCase()];
  if (named !== undefined) return named;
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

/** Calculates how often n8n polls in a day from the parameter Poll Times; undefined if that is not known. */
export function countPollsPerDay(pollTimes: unknown[]): number | undefined {
  const polls = pollTimes.map(countEntryPolls).reduce((sum, count) => sum + count, 0);
  return Number.isFinite(polls) ? polls : undefined;
}

/** The number of requests that read a list of `total` records. */
export const countListRequests = (total: number): number => Math.max(1, Math.ceil(total / MAX_PAGE_SIZE));

/** Checks that the polls use at most a share of the requests that the API key may make in a day. */
export interface DailyShare {
  /** Undefined if it is not known. Nothing is checked then. */
  pollsPerDay: number | undefined;
  /** Percent. */
  maximumShare: number;
}
