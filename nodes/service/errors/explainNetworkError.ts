import type { Explanation } from '../input/inputError';
import { fillText } from '../input/messageText';

/** `code` matches the error code, of Node, axios or this package. */
interface NetworkErrorRule extends Explanation {
  code: RegExp;
}

/** The first rule that matches applies. */
const NETWORK_ERROR_RULES: NetworkErrorRule[] = [
  {
    code: /^LOGIN_FAILED$/,
    message: '{reason}',
    description: 'Check the e-mail and password in the Record Database API credential.',
  },
  {
    code: /^LOGIN_DELAYED$/,
    message: '{reason}',
    description: 'The call itself was not sent. Try again later.',
  },
  {
    code: /ENOTFOUND|EAI_AGAIN/,
    message: 'The host {host} was not found',
    description:
      'Check the Base URL in the Record Database API credential, and that n8n can reach the internet.',
  },
  {
    code: /ECONNREFUSED|EHOSTUNREACH|ENETUNREACH/,
    message: 'Nothing answers at {host}',
    description:
      'Check the Base URL in the Record Database API credential: host and port. The service may be down.',
  },
  {
    code: /^EPROTO$|^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)$/,
    message: '{host} does not answer over https',
    description:
      'Check the Base URL in the Record Database API credential: the address may begin with http:// instead of https://, or the port may be wrong.',
  },
  {
    code: /CERT|^ERR_(TLS|SSL)_/,
    message: '{host} has no valid certificate',
    description: 'Check the Base URL, or ask the operator of the service for a valid certificate.',
  },
  {
    code: /^SSRF_BLOCKED$/,
    message: 'n8n does not allow requests to {host}',
    description:
      'The SSRF protection of this n8n blocks the address. Ask its administrator to allow the host, or check the Base URL in the Record Database API credential.',
  },
  {
    code: /^ERR_INVALID_CHAR$/,
    message: 'A value of the Record Database API credential contains a character that cannot be sent',
    description: 'Paste the App ID, App Key and App Secret again, and check the Header Prefix.',
  },
  {
    code: /^ANSWER_TOO_LARGE$/,
    message: 'The answer of {host} is too large',
    description:
      'It has {reason}, so it was not read to its end. Request less at once: fewer records or fields.',
  },
  {
    code: /^FILE_TOO_LARGE$/,
    message: 'The file in the answer of {host} is too large',
    description: 'The answer has {reason}, so it was not read to its end.',
  },
  {
    code: /TIMEDOUT|ECONNABORTED/,
    message: '{host} did not answer in time',
    description: 'Try again later, or request less at once.',
  },
  {
    code: /^/,
    message: 'The connection to {host} failed',
    description: '{reason} ({code}). Try again later.',
  },
];

/** Shows only the host of `baseUrl`. */
export function explainNetworkError(code: string, reason: string, baseUrl: string): Explanation {
  const host = baseUrl.replace(/^https?:\/\//i, '').replace(/\/.*$/, '');
  const { message, description } = NETWORK_ERROR_RULES.find((rule) => rule.code.test(code))!;
  const values = { code, host, reason };
  return { message: fillText(message, values), description: fillText(description, values) };
}
