import { mapExplanation } from '../../../../shared/transport/errors/apiError';

/**
 * Adds to a failure how much of the run was completed. Without Continue On Fail the outputs are lost, so the error is
 * the only information for the user.
 * @param subject what failed, for example a record, when the error does not name it
 */
export const explainPartialRun = (error: unknown, progress: string, subject?: string): unknown =>
  mapExplanation(error, ({ message, description }) => ({
    message: subject ? `${subject}: ${message}` : message,
    description: `${description} ${progress}`.trim(),
  }));
