import type { AnswerForm } from './http/answers';
import type { ProfileName } from './profiles';
import type { Clock } from './state/time';

/** Status words of background work; of each set the spec shows one (spec: States and transitions). */
interface StatusWords {
  /** Tasks and automations: only `start` is shown. */
  executionRunning: string;
  executionEnded: string;
  executionTerminated: string;
  /** Imports: only `Processing` is shown. */
  importRunning: string;
  importEnded: string;
  /** Exports: only `Complete` is shown. */
  exportRunning: string;
  exportEnded: string;
}

/** The forms of filters: of lists, of searches, and both of batch updates. */
export type FilterForm = 'primary' | 'symbolic' | 'check' | 'batch';

/** Everything a test may vary. `service.options` is live: a change counts from the next request on. */
export interface ServiceOptions {
  /** 0 picks a free port. */
  port: number;
  /** Seeds the sample data, the ids and the faults that have a probability. */
  seed: number;
  sample: 'company' | 'empty';
  /** Sets the options of a profile. Options that are given as well count instead. Read when the service starts. */
  profile: ProfileName;
  /** Time source of windows, tokens, jobs and timestamps; latency and stalls run on real timers. */
  clock: Clock;
  /** The neutralised word of the header names: `X-<prefix>-App-id`. */
  headerPrefix: string;

  perMinute: number;
  perDay: number;
  /** Length of the "minute", in ms. */
  windowMs: number;
  /** Length of the "day", in ms. */
  dayMs: number;
  /** Time from the arrival of a request to its answer, in ms, work included. */
  latencyMs: number;

  /** Life of a Bearer token, in ms. */
  tokenMs: number;
  /** Run time of a task, automation, import, export and of a queued formula, in ms. */
  jobMs: number;
  /** Resources that answer 412, by the first segment of their path: `exports`, `pdf-pages`, `logs` ... */
  lockedFeatures: string[];
  /** How often one webhook event is sent, and how often a failed attempt is repeated (both "not shown"). */
  deliveryCopies: number;
  deliveryRetries: number;
  /** Time without an answer after which an attempt has failed, in ms ("not shown"). */
  deliveryTimeoutMs: number;

  // Points that the spec leaves open; `readings.ts` lists their values and the spec's sections.

  /** IANA name of the zone of the service's timestamps and of its "today". A zone may change its clocks. */
  timeZone: string;
  /** What `is before current time` compares a Date-Time with: the service's clock, UTC, or only the time of day. */
  currentTime: 'own' | 'utc' | 'timeOfDay';

  /**
   * "Opaque encoded strings". `plain`: ten characters of the alphabet that clients met. `met`: they follow from the number of the
   * row, so that row 1 has the same ID in every table. `other`: of another alphabet. Read when the service starts.
   */
  ids: 'plain' | 'met' | 'other';
  /** Slugs: words, or `field_<n>` with an encoded `fieldId` beside it. Read when a table is added. */
  slugs: 'named' | 'numbered';
  /** "body holds the changed field values" against "value when a field is omitted from a create or update payload". */
  omittedOnUpdate: 'keep' | 'blank';
  /** An omitted number is "`0` or null". */
  omittedNumber: 0 | null;
  /** Whether a list or get with `columns` also returns `id` and `created_at`, or exactly these columns. */
  columnsResponse: 'withId' | 'exact';
  /** The answer to a change that was made: as the spec shows it, `{type: 'success'}` alone, or a broken one. */
  changeAnswers: AnswerForm;
  /** The first of two equal reads may have a broken answer; the second one is whole. */
  readAnswers: Exclude<AnswerForm, 'bare'>;
  /** What the answer to a create holds beside `type` and `msg`: the record, its ID in one of two keys, or nothing. */
  createAnswer: 'item' | 'recordId' | 'id' | 'none';
  /** What the answer to an update holds beside `type` and `msg`. */
  updateAnswer: 'item' | 'recordId' | 'bare';
  /** Whether the answer to a read of one record has `<slug>_val` for each connection, as a list has. */
  getDisplayValues: 'shown' | 'hidden';
  /**
   * The keys of a record that are no fields. `documented`: `id` first and `created_at` last. `met`: `id`,
   * `auto_increment` and `created_at` first in lists, `id` alone in a read of one record. `idOnly`: `id` alone.
   */
  systemKeys: 'documented' | 'met' | 'idOnly';
  /** What a POST on records with a filter body does: it lists, or makes a record without values. */
  listingPost: 'lists' | 'creates';
  /** Records of a page at most; a larger `limit` is answered with as many. */
  maxPageSize: number;
  /** Whether a list shows the `limit` of its pages. */
  listLimit: 'shown' | 'hidden';
  /** HTTP status of errors. `ok`: 200, except for 429 and 5xx. */
  errorStatus: 'http' | 'ok';
  /** Success of login, status and logout: `type`, or `status` without `valid` and `time_remaining`. */
  sessionAnswers: 'type' | 'status';
  /** An ID in a connection that no record has: a validation error, or left out without an error. */
  unknownConnection: 'refused' | 'dropped';
  /**
   * The answer to a read of a record that does not exist: a status, or 200 with such an `item`. Updates and deletions
   * answer with the status, which is 404 for the last four.
   */
  missingRecord: 404 | 400 | 422 | 'emptyList' | 'emptyObject' | 'zero' | 'null';
  /**
   * Whether `created_at` is known to filters and sorts, or dropped from them. No list of fields shows it, unless it is
   * `listed`: then as a field of another type.
   */
  systemColumns: 'known' | 'dropped' | 'listed';
  /**
   * The forms whose conditions are dropped without an error, as by a service that reads another notation. Of one table:
   * `primary of Orders`.
   */
  ignoredFilters: (FilterForm | `${FilterForm} of ${string}`)[];
  logOrder: 'newestFirst' | 'oldestFirst';
  /** `GET /pages` lists under `items` or under `pages`. */
  pagesShape: 'items' | 'pages';
  /**
   * Values of several parts. `met`: an Address has `lng` and `lat`; a Calendar has times and `all_day`, and a form may
   * write it as `<slug>[start]`; a Link is `{link}`; a File is an object. Read when a table is added.
   */
  compositeValues: 'documented' | 'met';
  /**
   * Which notation of a part is stored from a JSON body: `<slug>[city]` and `<slug>__start`, nested objects, or none.
   * The others are ignored with success. A form is always stored.
   */
  jsonParts: 'brackets' | 'nested' | 'formOnly';
  /** A multiple choice without a value is read as `[]` or `['']`; in the latter case, lists keep '' and doubles. */
  emptyChoices: 'documented' | 'met';
  /**
   * What is stored of a text: without outer and with single blanks, an e-mail address in lower case, characters composed
   * (NFC), or all of it in upper case. By default as it was sent. Filters compare with what is stored.
   */
  storedText: Array<'trimmed' | 'lowerEmails' | 'composed' | 'upperCase'>;
  /** Whether two texts that differ in case alone are the same value of a unique field. */
  uniqueText: 'exact' | 'ignoresCase';
  /** How a number without a value is read; what is read can be written. */
  blankNumber: null | '';
  /** Name of the type of a connection in `/fields` and `/full-fields-info`; `mixed`: `Join` in the former only. */
  connectionType: 'Connection' | 'Join' | 'mixed';
  /** Names of types, and whether `Showcase` has the types that the spec does not name. Read when the service starts. */
  types: 'documented' | 'met';
  /** Filters on a Calendar: by its start alone, or also `<slug>-start` and `<slug>-end`. */
  calendarFilter: 'start' | 'ends';
  /** Whether texts, choices and connections have the operator `contains_any`, with a comma list. */
  containsAny: 'unknown' | 'known';
  /**
   * `=` and `!=` of the symbolic form on texts, lists and connections: as `is` and `is not`, or by the exact and whole
   * value.
   */
  symbolicEquality: 'is' | 'exact';
  /** A filter that "fails silently" is dropped, or matches nothing. */
  brokenFilter: 'dropped' | 'matchesNothing';
  /** Several `conditions` groups of a batch update must all hold, or any of them. */
  batchGroups: 'all' | 'any';
  /** `X-Retry-After` of a daily 429: the seconds until the day resets, or until the minute does. */
  dayRetryAfter: 'day' | 'minute';
  pdfResponse: 'url' | 'binary' | 'base64';
  /** Key of the queue id in the answer of an import or export trigger. */
  queueIdKey: string;
  /** Word in the keys of automation answers: `automation_queue_id`, or `task_queue_id` as for tasks. */
  automationWord: 'automation' | 'task';
  statusWords: StatusWords;
  /** Key of a list, and of a single thing, in answers that the spec does not show (layouts, imports, PDF ...). */
  listKey: string;
  itemKey: string;
  /** Whether the counts of an import have the line of the column names as a row. */
  importHeading: 'skipped' | 'counted';
  /** Whether a template of an import or an export names its table, under `dataTable`. */
  templateTable: 'named' | 'hidden';
  /** Key of the list in the answer of `GET /web-hooks/list`. */
  webhooksKey: string;
  /** `GET /web-hooks/list` without `data_table_id`, which the spec does not call optional. */
  webhooksOfAllTables: 'listed' | 'refused';
  /** The query string of a subscribed hook URL. */
  hookQuery: 'kept' | 'dropped' | 'droppedOnDelivery';
  /** The body of a delivery: that of the spec, or `id` and values alone, as JSON or as a form. */
  deliveryForm: 'documented' | 'flatJson' | 'flatForm';
  /**
   * Field values in a delivery: all of the record, those that the event touched (INSERT: not blank, UPDATE: changed,
   * DELETE: none), or those that the write named, changed or not (DELETE: all).
   */
  deliveryFields: 'all' | 'touched' | 'saved';
  /** "Public pages allow unauthenticated access": without a user, or without the key headers as well. */
  publicPages: 'withKeys' | 'withoutKeys';
  /** Whether `/tasks/status/queue/{id}` still shows an execution that has ended. */
  finishedExecutions: 'shown' | 'hidden';
}

export const defaultOptions: Omit<ServiceOptions, 'clock'> = {
  port: 0,
  seed: 1,
  sample: 'company',
  profile: 'documented',
  headerPrefix: 'Service',
  perMinute: 240,
  perDay: 10_000,
  windowMs: 60_000,
  dayMs: 24 * 60 * 60_000,
  latencyMs: 0,
  tokenMs: 24 * 60 * 60_000,
  jobMs: 150,
  lockedFeatures: [],
  deliveryCopies: 1,
  deliveryRetries: 0,
  deliveryTimeoutMs: 10_000,
  timeZone: 'UTC',
  currentTime: 'own',
  ids: 'plain',
  slugs: 'named',
  omittedOnUpdate: 'keep',
  omittedNumber: null,
  columnsResponse: 'withId',
  changeAnswers: 'whole',
  readAnswers: 'whole',
  createAnswer: 'item',
  updateAnswer: 'item',
  getDisplayValues: 'shown',
  systemKeys: 'documented',
  listingPost: 'lists',
  maxPageSize: 200,
  listLimit: 'shown',
  errorStatus: 'http',
  sessionAnswers: 'type',
  unknownConnection: 'refused',
  missingRecord: 404,
  systemColumns: 'known',
  ignoredFilters: [],
  logOrder: 'newestFirst',
  pagesShape: 'items',
  compositeValues: 'documented',
  jsonParts: 'brackets',
  emptyChoices: 'documented',
  storedText: [],
  uniqueText: 'exact',
  blankNumber: null,
  connectionType: 'Connection',
  types: 'documented',
  calendarFilter: 'start',
  containsAny: 'unknown',
  symbolicEquality: 'is',
  brokenFilter: 'dropped',
  batchGroups: 'all',
  dayRetryAfter: 'day',
  pdfResponse: 'url',
  queueIdKey: 'queue_id',
  automationWord: 'automation',
  statusWords: {
    executionRunning: 'start',
    executionEnded: 'complete',
    executionTerminated: 'terminated',
    importRunning: 'Processing',
    importEnded: 'Complete',
    exportRunning: 'Processing',
    exportEnded: 'Complete',
  },
  listKey: 'items',
  itemKey: 'item',
  importHeading: 'skipped',
  templateTable: 'named',
  webhooksKey: 'items',
  webhooksOfAllTables: 'listed',
  hookQuery: 'kept',
  deliveryForm: 'documented',
  deliveryFields: 'all',
  publicPages: 'withKeys',
  finishedExecutions: 'shown',
};
