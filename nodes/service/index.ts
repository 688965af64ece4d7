/** The service layer: calls of the endpoints, without tables and n8n. `scripts/client-example.ts` shows such calls. */

// Waits and parallel steps
export { mapSteps, runSteps, type StepControl } from './concurrency/runSteps';
export { findWithPauses, waitUnlessAborted, Semaphore, sleepUnlessAborted } from './concurrency/wait';

// Endpoints
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

// Errors
export {
  ApiError,
  explainUncertainWrite,
  ignoreNotFound,
  isNotFoundByService,
  isValueRefusal,
  isRepeatUnsafe,
  rewordError,
  mayHaveWritten,
  NetworkError,
} from './errors/apiError';
export { listErrorTexts, formatFieldErrors } from './errors/serviceErrors';

// Files
export { listFiles } from './files/downloadUrl';
export { findPdf } from './files/findPdf';
export { download } from './files/openDownload';

// The client, its credential and the port to the network
export { callForUser } from './http/callForUser';
export { type CallOptions, Client, ClientGroup, createClient } from './http/client';
export { createRequestHeaders, CREDENTIAL_DEFAULTS, parseCredential } from './http/credential';
export { explainForbidden } from './http/explainForbidden';
export { type FilePart, FormBody, type FormPart } from './http/formBody';
export type { FileResponse, HttpRequest, HttpResponse, Port, Runtime } from './http/port';
export { findCredentialProblem } from './http/testCredential';

// Values and messages
export { asThrown, ClientError, InputError } from './input/inputError';
export { cutName, formatForError, joinFirstTexts, toSentence } from './input/messageText';
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

// Runs and logs
export { type RunResult, readRun, runToEnd, startRun } from './jobs/runs';
export { readLog } from './logs/readLog';

// Values that are kept between calls
export { clearMemories, listMemories, memory, KeyedQueue } from './memory/memory';
export { RequestCache } from './memory/requestCache';

// Lists and answers
export { MAX_PAGE_SIZE, readWholeList } from './paging/readWholeList';
export {
  type CreatedRecord,
  listIdsInResponse,
  fullFieldSchema,
  type ListResponse,
  parseSubscriptions,
  type RecordList,
  type ServiceRecord,
  type Subscription,
} from './responses/schemas';
