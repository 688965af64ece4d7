/** The keys of an answer; none where it is no object. */
export const objectIn = (body: unknown): Record<string, unknown> =>
  typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};

const NOT_ACCEPTED = 422;

/**
 * The status that an answer means: a body of `type: 'error'` is an error whatever HTTP says, with the status
 * that it names itself (spec: Key facts 4 and 5; Errors).
 */
export function statusMeant(status: number, body: unknown): number {
  const { type, status: named } = objectIn(body);
  if (status < 200 || status >= 300 || type !== 'error') return status;
  return Number(named) >= 400 ? Number(named) : NOT_ACCEPTED;
}

/** Whether an error answer is the service's own (spec: Errors), and no page of a proxy in between. */
export const isOwnError = (status: number, body: unknown): boolean => {
  const { type, msg, message } = objectIn(body);
  // Of a refused login the spec shows no body: usual frameworks word it under `message`.
  return type === 'error' || typeof msg === 'string' || (status === 401 && typeof message === 'string');
};
