/** The test of the credential, which n8n runs when a user saves it. */
import type {
  ICredentialsDecrypted,
  ICredentialTestFunctions,
  INodeCredentialTestResult,
} from 'n8n-workflow';
import { findCredentialProblem, InputError, MAX_ANSWER_BYTES, toLine } from '../../service';
import { exchange } from './port';

const TEST_TIMEOUT_MS = 20_000;

/** Tests the keys, then the login if the credential has one. The message says what to change. */
export async function recordDatabaseApiTest(
  this: ICredentialTestFunctions,
  { data = {} }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
  try {
    const problem = await findCredentialProblem(data, ({ url, ...request }) =>
      sendTestRequest(this, { ...request, uri: url }),
    );
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

/**
 * Sends a request with the only request helper of n8n's test context. It does not follow redirects. The answer has the
 * limits of all other calls.
 */
const sendTestRequest = ({ helpers }: ICredentialTestFunctions, options: object) =>
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
