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

export { mapMany, runMany, type StepControl, type StepResult } from './concurrency/runMany';

export { findWithPauses, raceAbort, Semaphore, sleepUnlessAborted } from './concurrency/wait';

export {
  apiKeyEndpoints,
  authEndpoints,
  automationEndpoints,
  componentEndpoints,
  exportEndpoints,
  formulaEndpoints,
  importEndpoints,
  logEndpoints,
  pageEndpoints,
  pdfFormEndpoints,
  pdfPageEndpoints,
  recordEndpoints,
  tableEndpoints,
  taskEndpoints,
  webhookEndpoints,
} from './endpoints/catalogue';

export { type Endpoint, formatEndpoint } from './endpoints/endpoint';

export {
  ApiError,
  explainUncertainWrite,
  isNotFoundByService,
  isRefusedValue,
  isUnknownStart,
  mapExplanation,
  mayHaveChanged,
  NetworkError,
} from './errors/apiError';

export { findFieldTexts, formatFieldErrors } from './errors/serviceErrors';

export { listFiles } from './files/downloadUrl';

export { findPdf } from './files/findPdf';

export { download } from './files/openDownload';

export { callSession } from './http/callSession';

export { type CallOptions, Client, ClientGroup, createClient } from './http/client';

export { createHeaders, CREDENTIAL_DEFAULTS, parseCredential } from './http/credential';

export { explainForbidden } from './http/explainForbidden';

export { type FilePart, FormBody, type FormPart } from './http/formBody';

export type { FileResponse, HttpRequest, HttpResponse, Port, Runtime } from './http/port';

export { findCredentialProblem } from './http/testCredential';

export { asThrown, ClientError, InputError } from './input/inputError';
export { cutName, formatForError, joinFirst, toSentence } from './input/messageText';

export {
  asObject,
  isBlank,
  isDeeperThan,
  isObject,
  parseEnum,
  findRepeatedKey,
  parseJson,
  parseList,
  parseNames,
  tryOr,
} from './input/values';

export { type EndedRun, readRun, runToEnd, startRun } from './jobs/runs';

export { readLog } from './logs/readLog';

export { clearMemories, listMemories, memory, KeyedQueue } from './memory/memory';
export { RequestCache } from './memory/requestCache';

export { MAX_PAGE_SIZE, readWholeList } from './paging/readWholeList';

export {
  type CreatedRecord,
  listAnsweredIds,
  fullFieldSchema,
  type ListResponse,
  parseSubscriptions,
  type RecordList,
  type ServiceRecord,
  type Subscription,
} from './responses/schemas';
