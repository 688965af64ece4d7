import type {
  ICredentialDataDecryptedObject,
  ICredentialsDecrypted,
  ICredentialTestFunctions,
  INodeCredentialTestResult,
} from 'n8n-workflow';
import { statusSchema } from '../model/responses';
import { explain, type Explanation } from '../model/serviceError';
import { explainFault } from './errors';
import { DEFAULT_PREFIX, keyHeaders, keysOf, secretsOf, type Keys } from './keys';
import { LOGIN_DELAYED, LOGIN_FAILED, loginRequest, tokenIn } from './login';
import { redact } from './redact';
import { isKeyRefused, messageIn } from './result';

interface Answer {
  statusCode: number;
  body: unknown;
}

const TIMEOUT_MS = 20_000;

/** The test context of n8n has this one request helper; redirects stay unfollowed, as in `send`. */
const ask = async (context: ICredentialTestFunctions, options: object): Promise<Answer> =>
  (await context.helpers.request({
    ...options,
    json: true,
    simple: false,
    resolveWithFullResponse: true,
    followRedirect: false,
    timeout: TIMEOUT_MS,
  })) as Answer;

const inWords = ({ message, description }: Explanation) => `${message}. ${description}`;

/** A 401 in the service's own words for it, or as what it must be without a user: keys that did not do. */
const refusalOf = (body: unknown): string =>
  isKeyRefused(body)
    ? inWords(explain(401, body))
    : `The service refused the keys. Compare App ID, App Key and App Secret with those in the service. It answered: 401 ${messageIn(body)}`.trim();

/** With another prefix than the service's the keys do not arrive at all. */
const prefixNote = ({ headerPrefix }: Keys): string =>
  headerPrefix === DEFAULT_PREFIX
    ? ''
    : `If they are right, the Header Prefix may be wrong: with "${headerPrefix}" the first header is X-${headerPrefix}-App-id.`;

/** What is wrong with the keys, or undefined when they are good (spec: API status record). */
async function problemWithKeys(context: ICredentialTestFunctions, keys: Keys): Promise<string | undefined> {
  const answer = await ask(context, {
    method: 'GET',
    uri: `${keys.baseUrl}/api/v1/status`,
    headers: keyHeaders(keys),
  });
  if (answer.statusCode >= 300 && answer.statusCode < 400) {
    return 'The Base URL redirects elsewhere. Give the address that it leads to: redirects are not followed, they would carry the keys along.';
  }
  if (answer.statusCode === 404) {
    return `Nothing of the service is at ${keys.baseUrl} (404). Give the Base URL without "/api" and what follows it.`;
  }
  if (answer.statusCode === 401) return `${refusalOf(answer.body)} ${prefixNote(keys)}`.trim();
  if (answer.statusCode !== 200) return inWords(explain(answer.statusCode, answer.body));
  const status = statusSchema.safeParse(answer.body);
  if (!status.success)
    return 'The Base URL answers, but not as a Record Database Service. Check the address.';
  if (status.data.api_key.status === 'Inactive') {
    return 'The API key is inactive. Activate it in the service, or use another key.';
  }
  return undefined;
}

async function problemOf(context: ICredentialTestFunctions, data: ICredentialDataDecryptedObject) {
  const keys = keysOf(data);
  try {
    const problem = await problemWithKeys(context, keys);
    if (problem || !keys.userLogin) return problem && redact(problem, secretsOf(keys));
    const { url, ...login } = loginRequest(keys);
    const answer = await ask(context, { method: 'POST', uri: url, ...login });
    tokenIn(keys, answer.statusCode, answer.body);
    return undefined;
  } catch (error) {
    return redact(wordsFor(error, keys), secretsOf(keys));
  }
}

function wordsFor(error: unknown, keys: Keys): string {
  const { code, message, cause } = error as Error & { code?: string; cause?: { code?: string } };
  const network = code ?? cause?.code;
  if (network === undefined || network === LOGIN_FAILED || network === LOGIN_DELAYED) return message;
  const fault = explainFault(network, message, keys.baseUrl);
  return `${fault.message}. ${fault.description}`;
}

/** n8n's "test" of the credential: `GET /status`, then the login if one is configured. */
export async function recordDatabaseApiTest(
  this: ICredentialTestFunctions,
  credential: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
  try {
    const problem = await problemOf(this, credential.data ?? {});
    return problem ? { status: 'Error', message: problem } : { status: 'OK', message: 'The keys are good' };
  } catch (error) {
    return { status: 'Error', message: (error as Error).message };
  }
}
