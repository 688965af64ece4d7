import type { Endpoint } from '../model/endpoint';
import { InputError, shown } from '../model/inputError';
import { labelOf } from '../model/label';

const CONTROL = /[\u0000-\u001f\u007f]/;

/**
 * One value as one path segment. `encodeURIComponent('..')` is still `..` and URL parsers collapse it, so
 * what could leave its segment is refused rather than encoded. A comma stays: it separates child ids.
 */
export function segment(name: string, value: unknown): string {
  const text = Number.isFinite(value) ? String(value) : value;
  if (typeof text !== 'string' || text.trim() === '') {
    throw new InputError(
      `${name} is missing`,
      'Pick it from the list, or give its ID. An expression here may have found nothing.',
    );
  }
  const id = text.trim();
  if (/^\.+$/.test(id) || CONTROL.test(id)) {
    throw new InputError(`${name} cannot be ${shown(value)}`, 'Give the ID as the service shows it.');
  }
  try {
    return encodeURIComponent(id).replace(/%2C/g, ',');
  } catch (error) {
    throw invalidText(name, error);
  }
}

const invalidText = (name: string, error: unknown) =>
  new InputError(`${name} is not valid text`, `Give the ID as the service shows it (${String(error)}).`);

/** The endpoint's path with every `{name}` filled in. @throws InputError naming the missing or unsafe one */
export const fillPath = (endpoint: Endpoint, parameters: Record<string, unknown>): string =>
  endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => segment(labelOf(name), parameters[name]));

/** The credential's base URL without a trailing slash. @throws InputError when it is not http(s) */
export function baseUrl(value: unknown): string {
  const text = typeof value === 'string' ? value.trim().replace(/\/+$/, '') : '';
  if (!/^https?:\/\/[^/?#@\s]+(\/[^?#\s]*)?$/i.test(text)) {
    throw new InputError(
      `The Base URL cannot be ${shown(value)}`,
      'Open the Record Database API credential and give the address of the service, such as https://app.example.com.',
    );
  }
  return text;
}
