import type { Endpoint } from '../model/endpoint';
import type { Explanation } from '../model/serviceError';

/** A call that failed for good, in the user's words. Holds no request, no header and no cause. */
export class ApiFailure extends Error {
  constructor(
    readonly explanation: Explanation,
    /** HTTP status, where there was an answer. */
    readonly status?: number,
    /** How often the call was made and may have had an effect: refusals for the limit do not count. */
    readonly attempts = 1,
    /** The call may or may not have been carried out (only for effects `once` and `lasting`). */
    readonly outcomeUnknown = false,
    /** Messages by field slug of a validation answer (spec: Errors). */
    readonly fieldErrors: Record<string, unknown> = {},
    /** The service itself answered so. A 404 of a proxy in between does not mean that something is gone. */
    readonly byService = false,
    /** What was called; nothing where it was no call of the service's. */
    readonly endpoint?: Endpoint,
  ) {
    super(explanation.message);
    this.name = 'ApiFailure';
  }

  /** The same failure in other words. */
  explainedAs(explanation: Explanation): ApiFailure {
    const { status, attempts, outcomeUnknown, fieldErrors, byService, endpoint } = this;
    return new ApiFailure(explanation, status, attempts, outcomeUnknown, fieldErrors, byService, endpoint);
  }
}

/**
 * Whether the service refuses a repeat because an attempt before had done the work already, and only its answer was
 * lost: what is gone cannot go once more.
 */
export const isDoneBefore = (error: unknown, status = 404): boolean =>
  error instanceof ApiFailure && error.byService && error.status === status && error.attempts > 1;

const FAULTS: Array<[RegExp, (host: string, words: string) => Explanation]> = [
  [
    /^LOGIN_FAILED$/,
    (_, words) => ({
      message: words,
      description: 'Check the e-mail and password in the Record Database API credential.',
    }),
  ],
  [
    /^LOGIN_DELAYED$/,
    (_, words) => ({ message: words, description: 'The call itself was not sent. Try again later.' }),
  ],
  [
    /ENOTFOUND|EAI_AGAIN/,
    (host) => ({
      message: `The host ${host} was not found`,
      description:
        'Check the Base URL in the Record Database API credential, and that n8n can reach the internet.',
    }),
  ],
  [
    /ECONNREFUSED|EHOSTUNREACH|ENETUNREACH/,
    (host) => ({
      message: `Nothing answers at ${host}`,
      description:
        'Check the Base URL in the Record Database API credential: host and port. The service may be down.',
    }),
  ],
  [
    /CERT|TLS|SSL/,
    (host) => ({
      message: `${host} has no valid certificate`,
      description: 'Check the Base URL, or ask whoever runs the service for a valid certificate.',
    }),
  ],
  [
    /TIMEDOUT|ECONNABORTED/,
    (host) => ({
      message: `${host} did not answer in time`,
      description:
        'Try again later, ask for less at once, or raise "Request Timeout" under "Request Options".',
    }),
  ],
];

export const NO_JSON: Explanation = {
  message: 'The answer was not JSON, or broke off',
  description:
    'Check the Base URL in the Record Database API credential: a web page answers there, or a proxy in between.',
};

export const CANCELLED: Explanation = {
  message: 'The execution was cancelled',
  description: 'Nothing more was sent.',
};

/** The day's limit, with the time of its reset by our own clock: the service's may be wrong. */
export function explainDay(resetsInSeconds = 86_400): Explanation {
  const minutes = Math.ceil(resetsInSeconds / 60);
  const short = minutes === 1 ? '1 minute' : `${minutes} minutes`;
  const wait = minutes < 60 ? short : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  const at = new Date(Date.now() + resetsInSeconds * 1000).toISOString().slice(0, 16).replace('T', ' ');
  return {
    message: 'The request limit of the day is used up',
    description: `It resets in ${wait}, at ${at} UTC. Run again after that, or raise the limit with a larger plan.`,
  };
}

/** A redirect is an answer of the wrong kind; only the host that it names is shown. */
export function explainRedirect(location: string | undefined): Explanation {
  const host = /^(?:[a-z]+:)?\/\/(?:[^/@]*@)?([^/?#]+)/i.exec(location ?? '')?.[1];
  return {
    message: `The service redirects${host ? ` to ${host}` : ''}, which is not followed`,
    description:
      'The redirect would carry your keys along. If the new address is right, make it the Base URL in the Record Database API credential.',
  };
}

/** Explains a network code. `baseUrl` is shown as its host only. */
export function explainFault(code: string, words: string, baseUrl: string): Explanation {
  const host = baseUrl.replace(/^https?:\/\//i, '').replace(/\/.*$/, '');
  const known = FAULTS.find(([pattern]) => pattern.test(code));
  if (known) return known[1](host, words);
  return { message: `The connection to ${host} failed`, description: `${words} (${code}). Try again later.` };
}

/** The failure of a call that may or may not have been carried out, and must not be repeated blindly. */
export const unknownOutcome = (why: Explanation): Explanation => ({
  message: `Outcome unknown: ${why.message.charAt(0).toLowerCase()}${why.message.slice(1)}`,
  description: `The service may have done this, or may still be at it, so it was not sent again. Do not repeat it at once, and check in the service before you do. ${why.description}`,
});
