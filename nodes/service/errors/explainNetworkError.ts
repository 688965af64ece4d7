import type { Explanation } from '../input/inputError';

/** By error code, of Node, axios or this package. The first pattern that matches applies. */
const NETWORK_ERROR_RULES: Array<[RegExp, (host: string, reason: string) => Explanation]> = [
  [
    /^LOGIN_FAILED$/,
    (_, reason) => ({
      message: reason,
      description: 'Check the e-mail and password in the Record Database API credential.',
    }),
  ],
  [
    /^LOGIN_DELAYED$/,
    (_, reason) => ({ message: reason, description: 'The call itself was not sent. Try again later.' }),
  ],
  [
    /ENOTFOUND|EAI_AGAIN/,
    (host) => ({
      message: `The host ${host} was not found`,
      description:
        'Check the Base URL in the Record Database API credential, and that n8n can reach the internet.',
    }),
  ],
  [
    /ECONNREFUSED|EHOSTUNREACH|ENETUNREACH/,
    (host) => ({
      message: `Nothing answers at ${host}`,
      description:
        'Check the Base URL in the Record Database API credential: host and port. The service may be down.',
    }),
  ],
  [
    /^EPROTO$|^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)$/,
    (host) => ({
      message: `${host} does not answer over https`,
      description:
        'Check the Base URL in the Record Database API credential: the address may begin with http:// instead of https://, or the port may be wrong.',
    }),
  ],
  [
    /CERT|^ERR_(TLS|SSL)_/,
    (host) => ({
      message: `${host} has no valid certificate`,
      description: 'Check the Base URL, or ask the operator of the service for a valid certificate.',
    }),
  ],
  [
    /^SSRF_BLOCKED$/,
    (host) => ({
      message: `n8n does not allow requests to ${host}`,
      description:
        'The SSRF protection of this n8n blocks the address. Ask its administrator to allow the host, or check the Base URL in the Record Database API credential.',
    }),
  ],
  [
    /^ERR_INVALID_CHAR$/,
    () => ({
      message: 'A value of the Record Database API credential contains a character that cannot be sent',
      description: 'Paste the App ID, App Key and App Secret again, and check the Header Prefix.',
    }),
  ],
  [
    /^ANSWER_TOO_LARGE$/,
    (host, reason) => ({
      message: `The answer of ${host} is too large`,
      description: `It has ${reason}, so it was not read to its end. Request less at once: fewer records or fields.`,
    }),
  ],
  [
    /^FILE_TOO_LARGE$/,
    (host, reason) => ({
      message: `The file in the answer of ${host} is too large`,
      description: `The answer has ${reason}, so it was not read to its end.`,
    }),
  ],
  [
    /TIMEDOUT|ECONNABORTED/,
    (host) => ({
      message: `${host} did not answer in time`,
      description: 'Try again later, or request less at once.',
    }),
  ],
];

/** Shows only the host of `baseUrl`. */
export function explainNetworkError(code: string, reason: string, baseUrl: string): Explanation {
  const host = baseUrl.replace(/^https?:\/\//i, '').replace(/\/.*$/, '');
  const rule = NETWORK_ERROR_RULES.find(([pattern]) => pattern.test(code));
  if (rule) return rule[1](host, reason);
  return {
    message: `The connection to ${host} failed`,
    description: `${reason} (${code}). Try again later.`,
  };
}
