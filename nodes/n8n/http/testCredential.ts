/** The test of the credential, which n8n runs when a user saves it. */
import type {
  ICredentialsDecrypted,
  ICredentialTestFunctions,
  INodeCredentialTestResult,
} from 'n8n-workflow';
import { findCredentialProblem } from '../../service';
import { exchange } from './port';

/** Tests the keys, then the login if the credential has one. The message says what to change. */
export async function recordDatabaseApiTest(
  this: ICredentialTestFunctions,
  { data = {} }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
  const message = await findCredentialProblem(data, (request) => sendTestRequest(this, request));
  return message === undefined
    ? { status: 'OK', message: 'The keys are good' }
    : { status: 'Error', message };
}

/** Sends a request with the only request helper of n8n's test context. It does not follow redirects. */
const sendTestRequest = (
  { helpers }: ICredentialTestFunctions,
  { url, timeout, maxBytes, ...request }: { url: string; timeout: number; maxBytes: number },
) =>
  exchange({ timeout, maxBytes }, () =>
    helpers.request({
      ...request,
      uri: url,
      json: true,
      simple: false,
      resolveWithFullResponse: true,
      useStream: true,
      followRedirect: false,
      timeout,
    }),
  );
