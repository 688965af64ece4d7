import { objectIn } from '../model/answer';
import { explain, type Explanation } from '../model/serviceError';
import { announced, refusal, type Announced } from './announced';
import { explainDay, explainFault, explainRedirect, NO_JSON } from './errors';
import type { Outcome } from './retry';
import { NetworkFault, type HttpResponse } from './send';

/** What one attempt brought. */
export type Result = HttpResponse | NetworkFault;

/** `msg` of an error body; empty where there is none (spec: Errors). */
export const messageIn = (body: unknown): string => {
  const { msg } = objectIn(body);
  return typeof msg === 'string' ? msg : '';
};

/** Whether a 401 is about the key, not about a user: the service's own words for it (spec: Errors). */
export const isKeyRefused = (body: unknown): boolean =>
  /api not found|app not found|api disabled/i.test(messageIn(body));

const isDaily = ({ status, body }: HttpResponse) => status === 429 && /day/i.test(messageIn(body));

/** Every success is JSON that says something (spec: Key facts). */
export const isSuccess = (result: Result): result is HttpResponse =>
  !(result instanceof NetworkFault) &&
  result.status >= 200 &&
  result.status < 300 &&
  typeof result.body === 'object' &&
  result.body !== null;

export function outcomeOf(result: Result): Outcome {
  if (result instanceof NetworkFault) return { kind: 'fault', code: result.code };
  if (result.status >= 200 && result.status < 300) return { kind: 'broken' };
  return { kind: 'answer', status: result.status, dailyLimit: isDaily(result) };
}

/** What the budget learns from an answer; a fault tells it nothing. */
export function announcementOf(result: Result): Announced | undefined {
  if (result instanceof NetworkFault) return undefined;
  return result.status === 429 ? refusal(result.headers, isDaily(result)) : announced(result.headers);
}

/** Messages by field slug of a validation answer (spec: Errors). */
export const fieldErrorsOf = (result: Result): Record<string, unknown> =>
  result instanceof NetworkFault
    ? {}
    : ((objectIn(result.body) as { errors?: Record<string, unknown> }).errors ?? {});

/** Why it was no success. */
export function reasonOf(result: Result, baseUrl: string): Explanation {
  if (result instanceof NetworkFault) return explainFault(result.code, result.message, baseUrl);
  if (result.status >= 300 && result.status < 400) return explainRedirect(result.headers.location);
  if (result.status < 300) return NO_JSON;
  if (isDaily(result)) return explainDay(refusal(result.headers, true).day?.resetsInSeconds);
  return explain(result.status, result.body);
}
