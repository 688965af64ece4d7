import type { Endpoint } from '../endpoints/endpoint';
import { InputError, formatForError, formatLabel } from '../input/inputError';

const CONTROL_CHARACTERS = /\p{Cc}/u;

/**
 * Encodes a value as one path segment. `encodeURIComponent('..')` is still `..`, and URL parsers resolve it,
 * so a value that could leave its segment is an error.
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
    return encodeURIComponent(id);
  } catch (error) {
    throw createInvalidTextError(name, error);
  }
}

const createInvalidTextError = (name: string, error: unknown) =>
  new InputError(
    `${formatLabel(name)} is not valid text`,
    `Give the ID as the service shows it (${String(error)}).`,
  );

/** Encodes a value, or several with commas between them (spec: Layouts, pages and components, `childIds`). */
const encodePathValue = (name: string, value: unknown): string =>
  Array.isArray(value) && value.length > 0
    ? value.map((one) => encodePathSegment(name, one)).join(',')
    : encodePathSegment(name, value);

/**
 * Fills in each `{name}` of the endpoint's path. A list becomes one segment, `a,b`.
 * @throws InputError that names the missing or unsafe value
 */
export const fillPath = (endpoint: Endpoint, parameters: Record<string, unknown>): string =>
  endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => encodePathValue(name, parameters[name]));
