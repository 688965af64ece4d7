import { toSentence } from '../../model/input/inputError';
import { asObject } from '../../model/input/isObject';
import type { Explanation } from '../../model/responses/errors/errorRules';

export const INVALID_RESPONSE: Explanation = {
  message: 'The answer was not valid JSON, or was incomplete',
  description:
    'Check the Base URL in the Record Database API credential: a web page or a proxy may answer there.',
};

/** Explains a 401 without a user login whose message the spec does not list. */
export function explainRefusedKeys(body: unknown): Explanation {
  const { msg } = asObject(body);
  return {
    message: 'The service refused the keys',
    description: `Compare App ID, App Key and App Secret in the Record Database API credential with those in the service. The service answered: ${toSentence(['401', typeof msg === 'string' ? msg : ''].join(' ').trim())}`,
  };
}

/** Explains a 401 for the token that the credential gives. It cannot be renewed. */
export const REFUSED_TOKEN: Explanation = {
  message: 'The token of the credential is not valid, or has expired',
  description:
    'Log the user in again, for example with Users > Session > Log In before this node, and give the new token under Token in the Record Database API credential.',
};

/** Explains a redirect, which is an error. Only the host of its target is shown. */
export function explainRedirect(location: string | undefined): Explanation {
  const host = /^(?:[a-z]+:)?\/\/(?:[^/@]*@)?([^/?#]+)/i.exec(location ?? '')?.[1];
  return {
    message: `The service redirects${host ? ` to ${host}` : ''}, which is not followed`,
    description:
      'The redirect would send your keys to that address. If the new address is right, make it the Base URL in the Record Database API credential.',
  };
}

/** Explains a call that the service may have carried out although its response was lost. */
export const explainUnknownOutcome = (explanation: Explanation, reason: string): Explanation => ({
  message: `Outcome unknown: ${explanation.message.charAt(0).toLowerCase()}${explanation.message.slice(1)}`,
  description: `The service may have done this, or may still be doing it. Check in the service before you repeat it. Reason: ${toSentence(reason)}`,
});
