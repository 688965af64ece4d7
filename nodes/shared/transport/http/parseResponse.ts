import type { z } from 'zod';
import { type Effect, type Endpoint, formatEndpoint } from '../../model/endpoints/endpoint';
import { isObject } from '../../model/input/isObject';
import type { Explanation } from '../../model/responses/errors/errorRules';
import { ApiError } from '../errors/apiError';
import type { HttpResponse } from './httpResponse';

/** Removes `type: 'success'`, which every successful response has beside its content (spec: Key facts). */
const removeSuccessType = (body: unknown): unknown => {
  if (!isObject(body) || body.type !== 'success') return body;
  const content = { ...body };
  delete content.type;
  return content;
};

const formatIssue = ({ path, message }: z.ZodIssue): string =>
  path.length > 0 ? `${path.join('.')}: ${message}` : message;

const REMEDIES: Record<Effect, string> = {
  read: 'Check the Base URL in the Record Database API credential: another version of the service, or another server, may answer there.',
  idempotent: 'The service reported success, so the change was probably made. Check it in the service.',
  longRunning: 'The service reported success, so the work was probably started. Check it in the service.',
  nonIdempotent:
    'The service reported success, so this may have been carried out. Check in the service before you run it again.',
};

/**
 * Whether the response to a change does not show that the change was made: it is empty, or has neither
 * `type: 'success'` nor one of the keys that show it.
 */
function isBareResponse({ effect, evidence }: Endpoint, body: unknown): boolean {
  if (effect === 'read' || typeof body !== 'object' || body === null) return false;
  const { type, ...content } = body as Record<string, unknown>;
  if (type === 'success') return false;
  if (evidence) return !evidence.some((key) => content[key] !== undefined && content[key] !== null);
  return Object.keys(body).length === 0;
}

const createBareResponseError = (endpoint: Endpoint, status: number, attempts: number) =>
  new ApiError({
    message: `Outcome unknown: the service's answer to ${formatEndpoint(endpoint)} does not say that the change was made`,
    description: `The answer (status ${status}) is empty, or lacks "type": "success". Check in the service whether the change was made, before you repeat it.`,
    status,
    attempts,
    isOutcomeUnknown: true,
    isFromService: true,
    endpoint,
  });

const isUnclearAfter = (effect: Effect): boolean => effect === 'nonIdempotent' || effect === 'longRunning';

const explainMismatch = (endpoint: Endpoint, issues: z.ZodIssue[]): Explanation => ({
  message: `${isUnclearAfter(endpoint.effect) ? 'Outcome unknown: the' : 'The'} service's answer to ${formatEndpoint(endpoint)} does not have the documented form`,
  description: `${issues.slice(0, 3).map(formatIssue).join('; ')}. ${REMEDIES[endpoint.effect]}`,
});

/**
 * Returns the body of a successful response, checked against the endpoint's schema.
 * @throws ApiError if the body does not match the schema, or does not show that a change was made: the call is then
 * not reported as a success
 */
export function parseResponse<Body>(
  endpoint: Endpoint<Body>,
  { status, body }: HttpResponse,
  attempts: number,
): Body {
  if (isBareResponse(endpoint, body)) throw createBareResponseError(endpoint, status, attempts);
  const content = removeSuccessType(body);
  if (!endpoint.response) return content as Body;
  const parsed = endpoint.response.safeParse(content);
  if (parsed.success) return parsed.data;
  const explanation = explainMismatch(endpoint, parsed.error.issues);
  throw new ApiError({
    ...explanation,
    status,
    attempts,
    isOutcomeUnknown: isUnclearAfter(endpoint.effect),
    isFromService: true,
    endpoint,
  });
}
