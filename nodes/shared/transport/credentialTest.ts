import type {
  ICredentialDataDecryptedObject,
  ICredentialsDecrypted,
  ICredentialTestFunctions,
  INodeCredentialTestResult,
} from 'n8n-workflow';
import { statusSchema } from '../model/responses';
import { explain } from '../model/serviceError';
import { explainFault } from './errors';
import { keyHeaders, keysOf, secretsOf, type Keys } from './keys';
import { LOGIN_FAILED, loginRequest, tokenIn } from './login';
import { redact } from './redact';

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
  if (answer.statusCode !== 200) {
    const { message, description } = explain(answer.statusCode, answer.body);
    return `${message}. ${description}`;
  }
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
  if (network === undefined || network === LOGIN_FAILED) return message;
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
