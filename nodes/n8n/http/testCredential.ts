import type {
  ICredentialDataDecryptedObject,
  ICredentialTestFunctions,
  ICredentialsDecrypted,
  INodeCredentialTestResult,
} from 'n8n-workflow';
import {
  apiKeyEndpoints,
  asObject,
  authEndpoints,
  buildKeyHeaders,
  buildLoginRequest,
  type Credential,
  ensureLoginFields,
  explainNetworkError,
  explainServiceError,
  type Explanation,
  fillPath,
  getEffectiveStatus,
  getSecrets,
  type HttpResponse,
  InputError,
  isKeyRefused,
  MAX_ANSWER_BYTES,
  NetworkError,
  parseCredential,
  readErrorMessage,
  readLoginToken,
  redact,
  REFUSED_TOKEN,
  toLine,
  toSentence,
} from '../../service';
import { exchange } from './port';

const TEST_TIMEOUT_MS = 20_000;

/**
 * Sends a request with the only request helper of n8n's test context. It does not follow redirects. The answer has the
 * limits of all other calls.
 */
const sendTestRequest = (
  { helpers }: ICredentialTestFunctions,
  options: object,
): Promise<HttpResponse | NetworkError> =>
  exchange({ timeout: TEST_TIMEOUT_MS, maxBytes: MAX_ANSWER_BYTES }, () =>
    helpers.request({
      ...options,
      json: true,
      simple: false,
      resolveWithFullResponse: true,
      useStream: true,
      followRedirect: false,
      timeout: TEST_TIMEOUT_MS,
    }),
  );

const formatExplanation = ({ message, description }: Explanation) => `${message}. ${description}`;

const formatNetworkError = ({ code, message }: NetworkError, { baseUrl }: Credential): string =>
  formatExplanation(explainNetworkError(code, message, baseUrl));

/** Explains a 401 of the test, which sends the keys without a user login: the keys are wrong. */
const formatRefusedKeys = (body: unknown): string =>
  isKeyRefused(body)
    ? formatExplanation(explainServiceError(401, body))
    : toSentence(
        `The service refused the keys. Compare App ID, App Key and App Secret with those in the service. It answered: 401 ${readErrorMessage(body)}`.trim(),
      );

/**
 * Finds the word between "X-" and "-App-id" in the headers that the service allows (spec: General rules, 3). The request has
 * no keys. Undefined if the service names no such header.
 */
async function findShownPrefix(
  context: ICredentialTestFunctions,
  { baseUrl }: Credential,
): Promise<string | undefined> {
  const uri = baseUrl + apiKeyEndpoints.getStatus.path;
  const response = await sendTestRequest(context, { method: 'OPTIONS', uri });
  if (response instanceof NetworkError) return undefined;
  const allowed = String(response.headers['access-control-allow-headers'] ?? '');
  return /(?:^|[\s,])x-([^\s,]+)-app-(?:id|key|secret)(?=$|[\s,])/i.exec(allowed)?.[1];
}

/** Explains a 401 by the Header Prefix: a service with another word in its header names did not receive the keys. */
async function formatRefusal(
  context: ICredentialTestFunctions,
  credential: Credential,
  body: unknown,
): Promise<string> {
  const { headerPrefix } = credential;
  const shown = await findShownPrefix(context, credential);
  if (shown !== undefined && shown.toLowerCase() !== headerPrefix.toLowerCase())
    return `Change the Header Prefix to ${shown}: the service takes the keys from X-${shown}-App-id, and they were sent in X-${headerPrefix}-App-id. If it still refuses them, compare App ID, App Key and App Secret with those in the service.`;
  const refusal = formatRefusedKeys(body);
  return shown === undefined
    ? `${refusal} If they are right, the Header Prefix may be wrong: with "${headerPrefix}" the first header is X-${headerPrefix}-App-id. The documentation of your service shows its own word there.`
    : `${refusal} The Header Prefix "${headerPrefix}" is the one that the service names.`;
}

/** Returns the problem with the keys, or undefined if there is none (spec: API status record). */
async function findKeyProblem(
  context: ICredentialTestFunctions,
  credential: Credential,
): Promise<string | undefined> {
  const response = await sendTestRequest(context, {
    method: 'GET',
    uri: credential.baseUrl + apiKeyEndpoints.getStatus.path,
    headers: buildKeyHeaders(credential),
  });
  if (response instanceof NetworkError) return formatNetworkError(response, credential);
  const { body } = response;
  // An error may have the HTTP status 200.
  const status = getEffectiveStatus(response.status, body);
  if (status >= 300 && status < 400) {
    return 'The Base URL redirects elsewhere. Give the address that it leads to: redirects are not followed, they would carry the keys along.';
  }
  if (status === 404) {
    return `Nothing of the service is at ${credential.baseUrl} (404). Check the address: another path or host may be needed.`;
  }
  if (status === 401) return formatRefusal(context, credential, body);
  if (status !== 200) return formatExplanation(explainServiceError(status, body));
  const parsed = apiKeyEndpoints.getStatus.response?.safeParse(body);
  if (!parsed?.success)
    return 'The Base URL answers, but not as a Record Database Service. Check the address.';
  if (asObject(parsed.data.api_key).status === 'Inactive') {
    return 'The API key is inactive. Activate it in the service, or use another key.';
  }
  return undefined;
}

/** Returns the problem with the given token, or undefined if there is none (spec: User authentication). */
async function findTokenProblem(
  context: ICredentialTestFunctions,
  credential: Credential,
): Promise<string | undefined> {
  const { baseUrl, appId, token } = credential;
  const response = await sendTestRequest(context, {
    method: 'POST',
    uri: baseUrl + fillPath(authEndpoints.getStatus, { appId }),
    headers: { ...buildKeyHeaders(credential), Authorization: `Bearer ${token}` },
  });
  if (response instanceof NetworkError) return formatNetworkError(response, credential);
  const { status, body } = response;
  const session = authEndpoints.getStatus.response?.safeParse(body);
  if (status === 200 && session?.data?.valid === true) return undefined;
  const isRefused = status === 200 || (status === 401 && !isKeyRefused(body));
  return formatExplanation(isRefused ? REFUSED_TOKEN : explainServiceError(status, body));
}

/** Returns the problem with the login, or undefined if there is none. */
async function findLoginProblem(
  context: ICredentialTestFunctions,
  credential: Credential,
): Promise<string | undefined> {
  if (!credential.hasUserLogin) return undefined;
  if (credential.loginMethod === 'token') return findTokenProblem(context, credential);
  const { url, ...login } = buildLoginRequest(credential);
  const response = await sendTestRequest(context, { method: 'POST', uri: url, ...login });
  const token = readLoginToken(credential, response);
  return token instanceof NetworkError ? token.message : undefined;
}

async function findCredentialProblem(
  context: ICredentialTestFunctions,
  data: ICredentialDataDecryptedObject,
): Promise<string | undefined> {
  const credential = parseCredential(data);
  ensureLoginFields(credential);
  const problem =
    (await findKeyProblem(context, credential)) ?? (await findLoginProblem(context, credential));
  return problem && redact(problem, getSecrets(credential));
}

/** The test of the credential: `GET /status`, then the login if the credential has one. */
export async function recordDatabaseApiTest(
  this: ICredentialTestFunctions,
  credential: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
  try {
    const problem = await findCredentialProblem(this, credential.data ?? {});
    return problem
      ? { status: 'Error', message: toLine(problem) }
      : { status: 'OK', message: 'The keys are good' };
  } catch (error) {
    const { message } = error as Error;
    return {
      status: 'Error',
      message: toLine(error instanceof InputError ? `${message}. ${error.description}` : message),
    };
  }
}
