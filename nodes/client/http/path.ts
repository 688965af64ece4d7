import type { Endpoint } from '../endpoints/endpoint';
import { InputError, formatForError, formatLabel } from '../input/inputError';

const CONTROL_CHARACTERS = /\p{Cc}/u;

/**
 * Encodes a value as one path segment. `encodeURIComponent('..')` is still `..`, and URL parsers resolve it,
 * so a value that could leave its segment is an error. A comma is kept because it separates child IDs.
 * @throws InputError for a missing or unsafe value
 */
export function encodePathSegment(name: string, value: unknown): string {
  const text = Number.isFinite(value) ? String(value) : value;
  if (typeof text !== 'string' || text.trim() === '') {
    throw new InputError(
      `${formatLabel(name)} is missing`,
      'Pick it from the list, or give its ID. An expression may have returned nothing.',
    );
  }
  const id = text.trim();
  if (/^\.+$/.test(id) || CONTROL_CHARACTERS.test(id)) {
    throw new InputError(
      `${formatLabel(name)} cannot be ${formatForError(value)}`,
      'Give the ID as the service shows it.',
    );
  }
  try {
    return encodeURIComponent(id).replace(/%2C/g, ',');
  } catch (error) {
    throw createInvalidTextError(name, error);
  }
}

const createInvalidTextError = (name: string, error: unknown) =>
  new InputError(
    `${formatLabel(name)} is not valid text`,
    `Give the ID as the service shows it (${String(error)}).`,
  );

/**
 * Fills in each `{name}` of the endpoint's path. @throws InputError that names the missing or unsafe value
 */
export const fillPath = (endpoint: Endpoint, parameters: Record<string, unknown>): string =>
  endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => encodePathSegment(name, parameters[name]));
