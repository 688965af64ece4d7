/** A call without a complete response. It has the network's code and message only, never the request. */
export class NetworkError extends Error {
  constructor(
    /** Error code of Node or axios: `ECONNREFUSED`, `ECONNRESET`, `ETIMEDOUT`, … */
    readonly code: string,
    message: string,
  ) {
    super(message);
    this.name = 'NetworkError';
  }
}
