import { escapeRegExp, memoize } from 'lodash';
import type { Endpoint } from '../endpoints/endpoint';
import { ClientError, type Explanation } from '../input/inputError';
import { toSentence } from '../input/messageText';
import { asObject } from '../input/values';

/**
 * Failures that a caller distinguishes, or for which the node's form has a setting; `n8n/operation/toNodeError.ts` adds its
 * name to the description. `emptyItem`: HTTP 200 without a record, in place of a 404 (evidence 2).
 */
export type ApiErrorCode =
  | 'cancelled'
  | 'dailyLimit'
  | 'emptyItem'
  | 'fileTooLarge'
  | 'serviceUnavailable'
  | 'timeout'
  | 'unstableList';

/** What is known about a failed call. */
interface CallFacts {
  code?: ApiErrorCode;
  /** HTTP status; undefined if no response arrived. */
  status?: number;
  /** Requests that may have had an effect, 1 by default. Responses with status 429 do not count. */
  attempts: number;
  /** Whether an attempt got no response: the service may still carry it out. */
  isUnanswered: boolean;
  /** Whether the service may have carried out the call. It must not be repeated without a check. */
  isOutcomeUnknown: boolean;
  /** Whether the call may be repeated although its outcome is unknown: a unique value prevents a second effect. */
  isRepeatable: boolean;
  /** ISO 8601 time at which the limit of the day ends. The call had no effect, and may be repeated then. */
  retryAt?: string;
  /** Messages by field slug from a validation response (spec: Errors). */
  fieldErrors: Record<string, unknown>;
  /** Whether the service itself sent this response. A 404 from a proxy does not mean that a record is gone. */
  isFromService: boolean;
  /** The endpoint that was called; absent for downloads. */
  endpoint?: Endpoint;
  /**
   * What the user needs after the failure: IDs of what the call started, created or failed for, by parameter name, or
   * records as they were before. A failed item has it under `details`.
   */
  details?: Record<string, unknown>;
}

export type ApiErrorOptions = Explanation & Partial<CallFacts>;

/** A call that failed permanently, with texts for the user. Contains no request, header or cause. */
export class ApiError extends ClientError implements CallFacts {
  readonly code?: ApiErrorCode;
  readonly status?: number;
  readonly attempts: number;
  readonly isUnanswered: boolean;
  readonly isOutcomeUnknown: boolean;
  readonly isRepeatable: boolean;
  readonly retryAt?: string;
  readonly fieldErrors: Record<string, unknown>;
  readonly isFromService: boolean;
  readonly endpoint?: Endpoint;
  readonly details?: Record<string, unknown>;

  constructor(options: ApiErrorOptions) {
    super(options);
    this.name = 'ApiError';
    this.code = options.code;
    this.status = options.status;
    this.attempts = options.attempts ?? 1;
    this.isUnanswered = options.isUnanswered ?? false;
    this.isOutcomeUnknown = options.isOutcomeUnknown ?? false;
    this.isRepeatable = options.isRepeatable ?? false;
    this.retryAt = options.retryAt;
    this.fieldErrors = options.fieldErrors ?? {};
    this.isFromService = options.isFromService ?? false;
    this.endpoint = options.endpoint;
    this.details = options.details;
  }

  /** Copies the error with other texts or facts. */
  override explain(changes: Partial<ApiErrorOptions>): this {
    return super.explain(changes);
  }
}

/** Changes the texts of an error for the user. Any other error is returned unchanged. */
export const mapExplanation = (
  error: unknown,
  change: (texts: Explanation) => Partial<Explanation>,
): unknown => (error instanceof ClientError ? error.explain(change(error)) : error);

/**
 * Whether a failed write may have changed something: a request was sent, and the service did not refuse it.
 */
export function mayHaveChanged(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  const { status = 0, attempts, isFromService } = error;
  // A redirect comes from a proxy in front of the service (the spec has none). Responses with status 429 are not
  // counted as attempts.
  const isRedirect = status >= 300 && status < 400;
  const isRefusal = isRedirect || (isFromService && status >= 400 && status < 500 && status !== 429);
  return attempts > (isRefusal ? 1 : 0);
}

/**
 * Whether a call may have made or started something that a second call would make again. The second call of an
 * `idempotent` endpoint, such as an update, leads to the same state.
 */
export const isUnknownStart = (error: unknown): boolean =>
  error instanceof ApiError &&
  error.isOutcomeUnknown &&
  !error.isRepeatable &&
  error.endpoint?.effect !== 'idempotent';

/** Statuses with which the service, or a web server in front of it, refuses a value or the size of a request. */
const REFUSED_STATUSES = new Set([400, 413, 414, 422, 431]);

/** Whether a request was refused because of its values. The same request without one of them may succeed. */
export const isRefusedValue = (error: unknown): boolean =>
  error instanceof ApiError && REFUSED_STATUSES.has(error.status ?? 0);

/** Whether the service refused a retry because an earlier attempt succeeded and its response was lost. */
export const isAlreadyDone = (error: unknown, status = 404): boolean =>
  error instanceof ApiError && error.isFromService && error.status === status && error.attempts > 1;

/** Whether the service states that something does not exist. A 404 from a proxy does not. */
export const isNotFoundByService = (error: unknown): boolean =>
  error instanceof ApiError && error.isFromService && error.status === 404;

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
    super({
      ...explainDailyLimit(resetsInSeconds),
      code: 'dailyLimit',
      status: 429,
      attempts: 0,
      retryAt: computeRetryTime(resetsInSeconds),
    });
    this.name = 'DailyLimitError';
  }
}

const DAY_SECONDS = 86_400;

/** The time at which the daily limit ends, rounded up to a second, by the process clock. */
export const computeRetryTime = (resetsInSeconds = DAY_SECONDS): string =>
  new Date(Math.ceil(Date.now() / 1000 + resetsInSeconds) * 1000).toISOString();

/**
 * Explains the daily limit with the time of its reset, by the process clock: the clock of the service may be
 * wrong.
 */
export function explainDailyLimit(resetsInSeconds = DAY_SECONDS): Explanation {
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

export const INVALID_RESPONSE: Explanation = {
  message: 'The answer was not valid JSON, or was incomplete',
  description:
    'Check the Base URL in the Record Database API credential: a web page or a proxy may answer there.',
};

/** Explains a 401 without a user login whose message the spec does not list. Open point: `loginErrors`. */
export function explainRefusedKeys(body: unknown): Explanation {
  const { msg } = asObject(body);
  return {
    message: 'The service refused the keys',
    description: `Compare App ID, App Key and App Secret in the Record Database API credential with those in the service. The service answered: ${toSentence(['401', typeof msg === 'string' ? msg : ''].join(' ').trim())}`,
  };
}

/** Explains a 401 for the token that the credential gives. It cannot be renewed. */
export const REFUSED_TOKEN: Explanation = {
  message: 'The token of the credential is not valid, or has expired',
  description:
    'Log the user in again, for example with Users > Session > Log In before this node, and give the new token under Token in the Record Database API credential.',
};

/** Explains a redirect, which is an error. Only the host of its target is shown. */
export function explainRedirect(location: string | undefined): Explanation {
  const host = /^(?:[a-z]+:)?\/\/(?:[^/@]*@)?([^/?#]+)/i.exec(location ?? '')?.[1];
  return {
    message: `The service redirects${host ? ` to ${host}` : ''}, which is not followed`,
    description:
      'The redirect would send your keys to that address. If the new address is right, make it the Base URL in the Record Database API credential.',
  };
}

/** Explains a call that the service may have carried out although its response was lost. */
export const explainUnknownOutcome = (explanation: Explanation, reason: string): Explanation => ({
  message: `Outcome unknown: ${explanation.message.charAt(0).toLowerCase()}${explanation.message.slice(1)}`,
  description: `The service may have done this, or may still be doing it. Check in the service before you repeat it. Reason: ${toSentence(reason)}`,
});

/** A call without a complete response. It has the network's code and message only, never the request. */
export class NetworkError extends Error {
  constructor(
    /** Error code of Node or axios: `ECONNREFUSED`, `ECONNRESET`, `ETIMEDOUT`, … */
    readonly code: string,
    message: string,
  ) {
    super(message);
    this.name = 'NetworkError';
  }
}

export const REDACTED = '•••';

/** A token that was issued during the execution is not among the known secrets. */
const BEARER_TOKEN = /\b(Bearer) +[\w.~+/=-]+/gi;

/** Names of HTML for characters. It also takes the number of any character. */
const HTML_NAMES: Record<string, string> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' };

/** Each character keeps its place: İ is the only one whose small letter is longer. */
const toSmallLetters = (text: string): string => text.replaceAll('İ', 'I').toLowerCase();

/** Formats numbers with their hexadecimal digits, of at least `length`. */
const formatHex = (codes: number[], format: (digits: string) => string, length: number): string =>
  codes.map((code) => format(code.toString(16).padStart(length, '0'))).join('');

/** Lists the notations of a character in small letters: plain, in a URL, in HTML, in JSON and in a form. */
function listNotations(character: string): string[] {
  const code = character.codePointAt(0) ?? 0;
  const units = character.split('').map((unit) => unit.charCodeAt(0));
  const notations = [
    character,
    formatHex([...Buffer.from(character)], (byte) => `%${byte}`, 2),
    `&#${code};`,
    formatHex([code], (digits) => `&#x${digits};`, 1),
    formatHex([code], (digits) => `&#x${digits};`, 2),
    ...(character in HTML_NAMES ? [`&${HTML_NAMES[character]};`] : []),
    JSON.stringify(character).slice(1, -1),
    `\\${character}`,
    formatHex(units, (unit) => `\\u${unit}`, 4),
    ...(character === ' ' ? ['+'] : []),
  ];
  return [...new Set(notations.map(toSmallLetters))];
}

/**
 * Finds where a secret ends that begins at `start` of a text in small letters. A notation may begin with another one, as
 * `%25` with `%`, so each possible end of a character is followed.
 * @param characters the notations of each character of the secret
 * @returns undefined if it does not begin there
 */
function findSecretEnd(text: string, characters: string[][], start: number): number | undefined {
  let ends = [start];
  for (const notations of characters) {
    const next = ends.flatMap((end) =>
      notations.filter((notation) => text.startsWith(notation, end)).map(({ length }) => end + length),
    );
    if (next.length === 0) return undefined;
    ends = [...new Set(next)];
  }
  return Math.max(...ends);
}

/** Characters of a secret by which the places in a text are found where it may begin. */
const PREFIX_LENGTH = 3;

/**
 * Creates a function that replaces a secret. A pattern of a whole secret would take a second to compile, so only its first
 * characters are one. Many tokens begin with the same ones.
 */
function createReplacer(): (text: string, secret: string) => string {
  const readNotations = memoize(listNotations);
  const createPattern = memoize((prefix: string) => {
    const characters = [...prefix].map((one) => `(?:${readNotations(one).map(escapeRegExp).join('|')})`);
    return new RegExp(`(?=${characters.join('')})`, 'g');
  });
  return (text, secret) => {
    const small = toSmallLetters(text);
    const characters = [...secret];
    const pattern = createPattern(characters.slice(0, PREFIX_LENGTH).join(''));
    let clean = '';
    let copied = 0;
    for (const { index } of small.matchAll(pattern)) {
      const end = index < copied ? undefined : findSecretEnd(small, characters.map(readNotations), index);
      if (end === undefined) continue;
      clean += text.slice(copied, index) + REDACTED;
      copied = end;
    }
    return clean + text.slice(copied);
  };
}

/**
 * Returns what is the same in every base64 text that contains `secret`: one text for each of the three places that the
 * secret may have in a group of 3 bytes. Bits that it shares with its neighbours are left out.
 */
const listBase64 = (secret: string): string[] =>
  [0, 1, 2].flatMap((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
    const start = Math.ceil((offset * 8) / 6);
    const end = Math.floor((bytes.length * 8) / 6);
    return [bytes.toString('base64').slice(start, end), bytes.toString('base64url').slice(start, end)];
  });

/**
 * Replaces secrets in a text, in each notation in which a service may repeat them, in small or capital letters. Values
 * shorter than 4 characters are kept: replacing every "1" for a secret of one letter would make messages unreadable.
 */
export function redact(text: string, secrets: unknown[]): string {
  const known = secrets
    .filter((secret): secret is string => typeof secret === 'string' && secret.length >= 4)
    .sort((a, b) => b.length - a.length);
  const clean = known
    // The secret, and the hexadecimal digits of its bytes.
    .flatMap((secret) => [secret, Buffer.from(secret).toString('hex')])
    .reduce(createReplacer(), text.replace(BEARER_TOKEN, `$1 ${REDACTED}`));
  return known.flatMap(listBase64).reduce((cleaned, encoded) => cleaned.replaceAll(encoded, REDACTED), clean);
}

/**
 * Use in the `catch` of a write that can be repeated. When the request may have reached the service, the error
 * states this and gives `advice`.
 * @returns the error to throw
 */
export function explainUncertainWrite(error: unknown, advice: string): unknown {
  if (!(error instanceof ApiError) || error.isOutcomeUnknown || !mayHaveChanged(error)) return error;
  return error.explain({
    description: `The change may have been made: a request was sent and its answer was lost. ${advice} ${error.description}`,
  });
}

export const REPEAT_IS_SAFE = 'The item can be run again: a repeated run ends in the same state.';
