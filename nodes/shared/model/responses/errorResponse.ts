import { asObject } from '../input/isObject';

const UNPROCESSABLE_CONTENT = 422;

/**
 * Returns the status of a response. A body with `type: 'error'` is an error even if the HTTP status is 2xx.
 * Its status is the one that the body names, or 422 (spec: Key facts 4 and 5; Errors).
 */
export function getEffectiveStatus(status: number, body: unknown): number {
  const { type, status: bodyStatus } = asObject(body);
  if (status < 200 || status >= 300 || type !== 'error') return status;
  return Number(bodyStatus) >= 400 ? Number(bodyStatus) : UNPROCESSABLE_CONTENT;
}

/** Whether the service itself sent an error response, and not a proxy (spec: Errors). */
export const isServiceError = (status: number, body: unknown): boolean => {
  const { type, msg, message } = asObject(body);
  // The spec does not define the body of a refused login. Common frameworks send the reason as `message`.
  return type === 'error' || typeof msg === 'string' || (status === 401 && typeof message === 'string');
};
