import type { Endpoint } from '../model/endpoints/endpoint';
import { isServiceError } from '../model/responses/errorResponse';
import type { Explanation } from '../model/responses/errors/errorRules';
import { findSubject } from '../model/responses/errors/findSubject';
import { type Credential, getSecrets } from './auth/credential';
import { ApiError, type ApiErrorCode, type ApiErrorOptions } from './errors/apiError';
import { CANCELLED } from './errors/clientErrors';
import { explainUnknownOutcome } from './errors/explainFailure';
import { findErrorCode } from './errors/explainNetworkError';
import { NetworkError } from './errors/networkError';
import { redact } from './errors/redact';
import { type AttemptResult, explainResult, formatReason, readFieldErrors } from './http/attemptResult';

/** The last attempt of a failed call, with the result of the earlier attempts. */
export interface FailedCall extends Pick<ApiErrorOptions, 'attempts' | 'isUnanswered' | 'isOutcomeUnknown'> {
  endpoint: Endpoint;
  /** Values of the path parameters. */
  path?: Record<string, unknown>;
  query?: object;
  result: AttemptResult;
  credential: Credential;
  /** Values that are removed from the message, in addition to those of the credential. */
  secrets: string[];
  isCancelled: boolean;
}

const redactExplanation = ({ credential, secrets }: FailedCall, { message, description }: Explanation) => {
  const redactSecrets = (text: string) => redact(text, [...getSecrets(credential), ...secrets]);
  return { message: redactSecrets(message), description: redactSecrets(description) };
};

const isInterrupted = ({ isCancelled, result }: FailedCall) => isCancelled && result instanceof NetworkError;

/** Explains why the last attempt failed, without secrets. */
export function explainFailedCall(call: FailedCall): Explanation {
  const { endpoint, path, query, result, credential } = call;
  if (isInterrupted(call)) return CANCELLED;
  const subject = findSubject(endpoint, path);
  return redactExplanation(call, explainResult(result, credential, { subject, query }));
}

function findCode(call: FailedCall): ApiErrorCode | undefined {
  if (isInterrupted(call)) return 'cancelled';
  return call.result instanceof NetworkError ? findErrorCode(call.result.code) : undefined;
}

/** Creates the error of a call with the explanation of its last attempt. */
export function createCallError(call: FailedCall, explanation: Explanation): ApiError {
  const { endpoint, result, attempts, isUnanswered, isOutcomeUnknown } = call;
  const shown = isOutcomeUnknown ? explainUnknownOutcome(explanation, formatReason(result)) : explanation;
  const status = result instanceof NetworkError ? undefined : result.status;

  return new ApiError({
    ...redactExplanation(call, shown),
    code: findCode(call),
    status,
    attempts,
    isUnanswered,
    isOutcomeUnknown,
    fieldErrors: readFieldErrors(result),
    isFromService: !(result instanceof NetworkError) && isServiceError(result.status, result.body),
    endpoint,
  });
}

/** Converts an error that was thrown before the call was sent, by the rate limiter or by n8n's request helper. */
export const toApiError = (error: unknown): ApiError =>
  error instanceof ApiError
    ? error
    : new ApiError({
        message: 'The request could not be sent',
        description: `${String(error)}. Run it again. If it happens again, report it to the authors of this package.`,
      });
