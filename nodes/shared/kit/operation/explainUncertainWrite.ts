import { ApiError, mayHaveChanged } from '../../transport/errors/apiError';

/**
 * Use in the `catch` of a write that can be repeated. When the request may have reached the service, the error
 * states this and gives `advice`.
 * @returns the error to throw
 */
export function explainUncertainWrite(error: unknown, advice: string): unknown {
  if (!(error instanceof ApiError) || error.isOutcomeUnknown || !mayHaveChanged(error)) return error;
  return error.withExplanation({
    description: `The change may have been made: a request was sent and its answer was lost. ${advice} ${error.explanation.description}`,
  });
}

export const REPEAT_IS_SAFE = 'The item can be run again: a repeated run ends in the same state.';
