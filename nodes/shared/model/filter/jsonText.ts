import { isPlainObject, mapValues } from 'lodash';
import type { z } from 'zod';
import { InputError, shown } from '../inputError';

/** How one of the service's two filter forms is written, for messages about a filter that is not. */
export interface Dialect {
  /** What the form calls the parameter. */
  label: string;
  example: string;
  /** What people write by mistake, often from the other dialect, and what it is called in this one. */
  misspelt: Record<string, string>;
}

/** JSON text or a value that an expression already made of it. @throws InputError */
export function jsonOf(input: unknown, dialect: Dialect): unknown {
  if (typeof input !== 'string') return input;
  try {
    return JSON.parse(input);
  } catch (error) {
    throw notJson(input, error, dialect);
  }
}

const notJson = (input: string, error: unknown, { label, example }: Dialect) =>
  new InputError(
    `${label}: this is no JSON: ${shown(input)}`,
    `${(error as Error).message}. It looks like this: ${example}`,
  );

/** The first problem that the schema found, with the right name for a wrong key. */
export function dialectError(error: z.ZodError, { label, example, misspelt }: Dialect): InputError {
  // A wrong key shows twice: as one too many, which can be named, and as the right one missing.
  const [first] = error.issues;
  const issue = (error.issues.find(({ code }) => code === 'unrecognized_keys') ?? first) as z.ZodIssue & {
    keys?: string[];
  };
  const at = issue.path.join('.') || 'the whole';
  const key = issue.keys?.[0];
  const right = key === undefined ? undefined : misspelt[key];
  const what =
    key === undefined
      ? `${label}: ${at}: ${issue.message}`
      : `${label}: "${key}" is not a key here (in ${at})${right ? `, it is called "${right}"` : ''}`;
  return new InputError(
    what,
    `Nothing was sent: the service drops such a filter without a word. It looks like this: ${example}`,
  );
}

/** `$1`, `$2`, … as a whole value stand for the parameters, so that text from outside stays a value. */
export function filledIn(value: unknown, parameters: unknown[]): unknown {
  if (Array.isArray(value)) return value.map((one) => filledIn(one, parameters));
  if (isPlainObject(value)) return mapValues(value as object, (one) => filledIn(one, parameters));
  const place = typeof value === 'string' ? /^\$(\d+)$/.exec(value)?.[1] : undefined;
  if (place === undefined) return value;
  if (Number(place) < 1 || Number(place) > parameters.length) {
    throw new InputError(
      `Filter Parameters: there is no $${place}`,
      `They hold ${parameters.length}: add it there, or correct the number.`,
    );
  }
  return parameters[Number(place) - 1];
}
