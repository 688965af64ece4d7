/** An answer that is an error (spec: Errors). Thrown anywhere below a route. */
export class ApiError extends Error {
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

export const notFound = (what: string) => new ApiError(404, `${what} Not Found`);
export const denied = () => new ApiError(403, 'Permission Denied');
export const invalid = (errors: Record<string, string[]>) => new ApiError(422, 'Validation failed', errors);
