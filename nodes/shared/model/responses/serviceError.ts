import { toSentence } from '../input/inputError';
import { asObject } from '../input/isObject';
import { isServiceError } from './errorResponse';
import { ERROR_RULES, type Explanation } from './errors/errorRules';
import { formatFieldErrors } from './errors/fieldErrors';
import type { CallSubject } from './errors/findSubject';

const NOT_FOUND = 404;

/** Explains a 404 that a web server or proxy sent. A 404 of the service itself names the missing object. */
const explainUnknownAddress = (): Explanation => ({
  message: 'The address of this call was not found',
  description:
    'The answer (404) does not come from the Record Database Service: another server or a proxy sent it. Check the Base URL in the Record Database API credential.',
});

/**
 * Explains an error response (status 4xx or 5xx, any JSON body).
 * @param named what the call is about, for a 404
 */
export function explainServiceError(
  status: number,
  body: unknown,
  { subject = 'item', table = 'table', record = 'record' }: Partial<CallSubject> = {},
): Explanation {
  if (status === NOT_FOUND && !isServiceError(status, body)) return explainUnknownAddress();
  const { msg, errors } = asObject(body);
  const serviceMessage = typeof msg === 'string' ? msg : '';
  const rule = ERROR_RULES.find((row) => row.status === status && (!row.msg || row.msg.test(serviceMessage)));
  const details = formatFieldErrors(errors);
  const response = toSentence([`${status}`, serviceMessage].filter(Boolean).join(' '));
  if (!rule) {
    return {
      message: status >= 500 ? 'The service failed while answering' : 'The service refused the request',
      description: `It answered: ${response} ${status >= 500 ? 'Try again later.' : 'Check the parameters of this node.'}`,
    };
  }
  const names: Record<string, string> = { subject, table, record };
  const message = rule.explanation.message.replace(/\{(\w+)\}/, (_, key: string) => names[key] ?? key);
  return {
    message: details ? `${message} (${details})` : message,
    description: `${rule.explanation.description} The service answered: ${response}`,
  };
}
