/**
 * Whether a value is null, undefined or ''. A blank value clears a field; an option with a blank value is not
 * set.
 */
export const isBlank = (value: unknown): value is null | undefined | '' =>
  value === null || value === undefined || value === '';
