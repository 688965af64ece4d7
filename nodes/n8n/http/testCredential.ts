import type {
  ICredentialsDecrypted,
  ICredentialTestFunctions,
  INodeCredentialTestResult,
} from 'n8n-workflow';
import { findCredentialProblem } from '../../service';
import { exchange } from './port';

/** The message is shown in the credential itself, which is open. */
const OPEN_CREDENTIAL = /Open the Record Database API credential and (\w)/;

/** Tests the keys, then the login if the credential has one. The message says what to change. */
export async function recordDatabaseApiTest(
  this: ICredentialTestFunctions,
  { data = {} }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
  const message = await findCredentialProblem(data, (request) => sendTestRequest(this, request));
  return message === undefined
    ? { status: 'OK', message: 'The keys are good' }
    : {
        status: 'Error',
        message: message.replace(OPEN_CREDENTIAL, (_, letter: string) => letter.toUpperCase()),
      };
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
