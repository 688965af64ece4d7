/** Errors for the user: what happened, and what to do. */
import { MAX_MESSAGE_CHARS, toSafeLine } from './messageText';

/** n8n's linter refuses `throw error` in a catch block, and accepts a call of this function. */
export const asThrown = (error: unknown): unknown => error;

/** `message` says what happened, and `description` says what to do. */
export interface Explanation {
  message: string;
  description: string;
  /**
   * What the user needs after the failure, for example the `recordId` of a created record. `oldRecords` are records as
   * they were before a change. The output item shows this object.
   */
  details?: Record<string, unknown>;
}

/** An error for the user. Any error of another class is a fault of this package. */
export abstract class ClientError extends Error {
  readonly description: string;
  readonly details?: Explanation['details'];

  constructor({ message, description, details }: Explanation) {
    super(toSafeLine(message, MAX_MESSAGE_CHARS));
    this.description = toSafeLine(description);
    this.details = details;
  }

  /**
   * Copies the error with other texts. Items may share an error, so an error is never changed.
   * @example
   * error.copyWith({ description: `Nothing was created. ${error.description}` })
   */
  copyWith({ message = this.message, description = this.description, ...facts }: Partial<this>): this {
    // The constructor of a subclass takes other arguments, so it is not called: `Object.assign` copies all properties.
    const copy = Reflect.construct(Error, [toSafeLine(message, MAX_MESSAGE_CHARS)], this.constructor) as this;
    return Object.assign(copy, this, { description: toSafeLine(description) }, facts);
  }
}

/** A value that the user gave is wrong. `message` names the value. No request with the value was sent. */
export class InputError extends ClientError {
  constructor(message: string, description: string) {
    super({ message, description });
    this.name = 'InputError';
  }
}
