/**
 * The door of the protocol: requests, limits, retries, logins, errors, endpoints, answers, jobs, files, logs and memory. This
 * floor holds what the documentation of the service says, nothing about tables and nothing of n8n. Code outside of this folder
 * imports from this file alone. `scripts/client-example.ts` is a complete program that uses it.
 *
 * `createClient(port, settings)` makes a client of one user. `settings` are the fields of the credential. A `Port` sends one
 * request, opens one file, and gives a clock, a signal that ends waits, and a place for progress and hints:
 * `nodes/n8n/http/port.ts` is that of n8n, `test/support/fetchPort.ts` sends with `fetch`. Retries, the limit of the key and the
 * login are the client's. `client.call(endpoint, …)` sends any call of the catalogue. What fails is a `ClientError` with a
 * `message` (what happened) and a `description` (what to do): `InputError` (nothing was sent) or `ApiError` (a call failed).
 */

export {
  /** Calls `run` for each step, several at once, and returns the values in the order of the steps. */
  mapMany,
  /** Runs the steps of a work in order, several at once. */
  runMany,
  /** With which a step of `runMany` ends the run, or learns that it has ended. */
  type StepControl,
  /** A step with its result: its value, or its error. */
  type StepResult,
} from './concurrency/runMany';

export {
  /** Calls `find` until it returns a result, with a growing pause before each attempt. */
  findWithPauses,
  /** Waits for `pending` or for the abort of `signal`, whichever comes first. */
  raceAbort,
  /** Admits tasks up to a total weight of `capacity` at once, and at least one; the others wait in order of arrival. */
  Semaphore,
  /** Waits `ms` milliseconds, or until `signal` is aborted. */
  sleepUnlessAborted,
} from './concurrency/wait';

export {
  /** Spec: Status, the check of a key. */
  apiKeyEndpoints,
  /** Spec: User authentication. */
  authEndpoints,
  /** Spec: Automations. */
  automationEndpoints,
  /** Spec: Layouts, pages and components. */
  componentEndpoints,
  /** Spec: Imports and exports. */
  exportEndpoints,
  /** Spec: Formulas. */
  formulaEndpoints,
  /** Spec: Imports and exports. */
  importEndpoints,
  /** Spec: Logs. */
  logEndpoints,
  /** Spec: Layouts, pages and components. */
  pageEndpoints,
  pdfFormEndpoints,
  /** Spec: PDF. */
  pdfPageEndpoints,
  /** Spec: Records. */
  recordEndpoints,
  /** Spec: Tables, fields, roles. */
  tableEndpoints,
  /** Spec: Tasks. */
  taskEndpoints,
  /** Spec: Webhooks. */
  webhookEndpoints,
} from './endpoints/catalogue';

export {
  /** One endpoint of the spec. */
  type Endpoint,
  /** Formats an endpoint as `METHOD /path/{param}`, as the README, the tests and the service's log name it. */
  formatEndpoint,
} from './endpoints/endpoint';

export {
  /** A call that failed permanently, with texts for the user. */
  ApiError,
  /** Adds to the error of a failed write that it may have been made, and what to do. */
  explainUncertainWrite,
  /** Whether the service states that something does not exist. */
  isNotFoundByService,
  /** Whether a request was refused because of its values. */
  isRefusedValue,
  /** Whether a call may have made or started something that a second call would make again. */
  isUnknownStart,
  /** Changes the texts of an error for the user. */
  mapExplanation,
  /** Whether a failed write may have changed something: a request was sent, and the service did not refuse it. */
  mayHaveChanged,
  /** A call without a complete response. */
  NetworkError,
} from './errors/apiError';

export {
  /** Lists the messages of one field, at any depth. */
  findFieldTexts,
  /** Formats `{slug: [text]}` as one line: "slug: text, text; other: text". */
  formatFieldErrors,
} from './errors/serviceErrors';

export {
  /** Lists the files in the value of a File field. */
  listFiles,
} from './files/downloadUrl';

export {
  /** Finds the PDF in the answer to a call that creates one. */
  findPdf,
} from './files/findPdf';

export {
  /** Downloads the file at an address, which comes from a response of the service. */
  download,
} from './files/openDownload';

export {
  /** Sends a call about a user with the user's token or with the API keys only. */
  callSession,
} from './http/callSession';

export {
  type CallOptions,
  /** Sends the calls of one user in one execution, or of one request for a dropdown list. */
  Client,
  /** The clients of one execution, whose items may run as several users. */
  ClientGroup,
  /** Creates a client. */
  createClient,
} from './http/client';

export {
  /** Adds the key headers to those of a request. */
  createHeaders,
  /** What the settings are that a credential leaves out. */
  CREDENTIAL_DEFAULTS,
  parseCredential,
} from './http/credential';

export {
  /** Adds the missing permission to a 403 error. */
  explainForbidden,
} from './http/explainForbidden';

export {
  /** A file in a payload: one multipart part. */
  type FilePart,
  /** A form (multipart) as bytes, with its content type. */
  FormBody,
  /** One part: a text, or a file. */
  type FormPart,
} from './http/formBody';

export type {
  FileResponse,
  HttpRequest,
  /** A response with any status. */
  HttpResponse,
  /** The way of a client to the network. */
  Port,
  /** What a client needs besides the network. */
  Runtime,
} from './http/port';

export {
  /** Tests a credential: what is wrong with it, or undefined. */
  findCredentialProblem,
} from './http/testCredential';

export {
  /** Converts a caught value to an error to throw: n8n's linter does not accept `throw error` in a catch block. */
  asThrown,
  /** An error for the user. */
  ClientError,
  /** An invalid value from the user. */
  InputError,
} from './input/inputError';
export {
  /** Cuts the name of a field or a table for a message. */
  cutName,
  /** Formats a value for a message: JSON on one line, at most 80 characters. */
  formatForError,
  /** Joins the first texts for a message, each with its first characters, and "…" if there are more than `maximum`. */
  joinFirst,
  /** Ends a text with a full stop, unless it ends a sentence already, as many messages of the service do. */
  toSentence,
} from './input/messageText';

export {
  /** An empty object in place of any value that is no object. */
  asObject,
  /** Whether a value is null, undefined or ''. */
  isBlank,
  /** Whether a value has more than `maximum` objects and lists in one another. */
  isDeeperThan,
  /** Whether a value is an object, but not null or an array. */
  isObject,
  /** Returns `value` if it is one of `values`. */
  parseEnum,
  /** Finds a key that an object of a JSON text has twice. */
  findRepeatedKey,
  /** Parses JSON. */
  parseJson,
  /** Parses a list from an array, a map with number keys, JSON text, or text with commas. */
  parseList,
  /** Parses the names or IDs of a multi-select in any form that an expression may return. */
  parseNames,
  /** The result of `read`, or `fallback` if it throws. */
  tryOr,
} from './input/values';

export {
  /** A run that has ended, or that was waited for in vain. */
  type EndedRun,
  /** Reads one run of a task or an automation. */
  readRun,
  /** Starts a run of a task, an automation, an import or an export, and waits until it has ended. */
  runToEnd,
  /** Starts a run without a wait. */
  startRun,
  /** Stops one run of a task or an automation. */
  stopRun,
} from './jobs/runs';

export {
  /** Reads a log page by page. */
  readLog,
} from './logs/readLog';

export {
  /** Empties all memories of the process. */
  clearMemories,
  /** Lists the memories of all files that are loaded, by name. */
  listMemories,
  /** Creates memories, each once when its file is loaded. */
  memory,
  /** Runs tasks with the same key one after the other, in order of arrival. */
  KeyedQueue,
} from './memory/memory';
export {
  /** Caches responses by key. */
  RequestCache,
} from './memory/requestCache';

export {
  /** The service's maximum number of records a page (spec: Limits). */
  MAX_PAGE_SIZE,
  /** Reads a list page by page, and once more if it changed meanwhile. */
  readWholeList,
} from './paging/readWholeList';

export {
  /** The answer to a create. */
  type CreatedRecord,
  /** Finds the ID in the answer to a write: in its record, or in `recordId` or `id`. */
  listAnsweredIds,
  /** Spec: Field (full, from `/full-fields-info`). */
  fullFieldSchema,
  /** A list in a response, with the counts of all its pages. */
  type ListResponse,
  /** Parses the subscriptions in a list response and skips other entries. */
  parseSubscriptions,
  type RecordList,
  type ServiceRecord,
  type Subscription,
} from './responses/schemas';
