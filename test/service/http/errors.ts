/** An error answer (spec: Errors). */
export class ResponseError extends Error {
  constructor(
    readonly status: number,
    readonly msg: string,
    readonly errors?: Record<string, string[]>,
    readonly headers: Record<string, string> = {},
  ) {
    super(msg);
  }

  get body(): Record<string, unknown> {
    return { type: 'error', msg: this.msg, status: this.status, ...(this.errors && { errors: this.errors }) };
  }
}

export const createNotFoundError = (what: string) => new ResponseError(404, `${what} Not Found`);
export const createDeniedError = () => new ResponseError(403, 'Permission Denied');
export const createValidationError = (errors: Record<string, string[]>) =>
  new ResponseError(422, 'Validation failed', errors);
