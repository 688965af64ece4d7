import type { Explanation } from '../../model/responses/errors/errorRules';
import { ApiError } from './apiError';

export const CANCELLED: Explanation = {
  message: 'The execution was cancelled',
  description: 'Nothing more was sent.',
};

/** The execution was cancelled before this call was sent. */
export class AbortedError extends ApiError {
  constructor() {
    super({ ...CANCELLED, code: 'cancelled', attempts: 0 });
    this.name = 'AbortedError';
  }
}

/** The request limit of the day is used up, so this call was not sent. */
export class DailyLimitError extends ApiError {
  constructor(readonly resetsInSeconds: number) {
    super({ ...explainDailyLimit(resetsInSeconds), code: 'dailyLimit', status: 429, attempts: 0 });
    this.name = 'DailyLimitError';
  }
}

/**
 * Explains the daily limit with the time of its reset, by the process clock: the clock of the service may be
 * wrong.
 */
export function explainDailyLimit(resetsInSeconds = 86_400): Explanation {
  const minutes = Math.ceil(resetsInSeconds / 60);
  const short = minutes === 1 ? '1 minute' : `${minutes} minutes`;
  const wait = minutes < 60 ? short : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  const at = new Date(Date.now() + resetsInSeconds * 1000).toISOString().slice(0, 16).replace('T', ' ');
  return {
    message: 'The request limit of the day is used up',
    description: `It resets in ${wait}, at ${at} UTC. Run again after that, or raise the limit with a larger plan.`,
  };
}

/** The list changed each time it was read, so the reading could not be verified. */
export class UnstableListError extends ApiError {
  constructor() {
    super({
      message: 'The list kept changing while it was read',
      description:
        'Its records moved during each reading, so some could be missing. Sort by a field that does not change, or filter for fewer records. Up to 200 records, also as a Limit, are read in one request and cannot move.',
      code: 'unstableList',
    });
    this.name = 'UnstableListError';
  }
}
