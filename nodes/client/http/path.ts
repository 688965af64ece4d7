import { trimEnd } from 'lodash';
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

const INVALID_BASE_URL_REMEDY =
  'Open the Record Database API credential and give the address of the service, such as https://app.example.com.';

/**
 * Normalizes the Base URL of the credential. It adds https if there is no scheme, and removes trailing
 * slashes, `/api` and the version, because all paths begin with them (spec: Base forms).
 * @throws InputError if the value is not an http(s) address
 */
export function parseBaseUrl(value: unknown): string {
  const text = typeof value === 'string' ? value.trim() : '';
  const address = /^[^/?#@\s:]+(:\d+)?(\/|$)/.test(text) ? `https://${text}` : text;
  const base = trimEnd(trimEnd(address, '/').replace(/\/api(\/v1(\.1(\/[^/]+)?)?)?$/i, ''), '/');
  if (!/^https?:\/\/[^/?#@\s]+(\/[^?#\s]*)?$/i.test(base) || !URL.canParse(base)) {
    throw new InputError(`The Base URL cannot be ${formatForError(value)}`, INVALID_BASE_URL_REMEDY);
  }
  return base;
}
