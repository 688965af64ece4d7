/** The address of a call. */
import type { Endpoint } from '../endpoints/endpoint';
import { InputError } from '../input/inputError';
import { formatForError, formatLabel } from '../input/messageText';

/** Control characters, and surrogates without their pair, which `encodeURIComponent` refuses. */
const UNSAFE_PATH_CHARACTERS = /[\p{Cc}\p{Cs}]/u;

/**
 * Refuses `..`: `encodeURIComponent` keeps it, and it leads to another path.
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
  if (!/^\.+$/.test(id) && !UNSAFE_PATH_CHARACTERS.test(id)) return encodeURIComponent(id);
  throw new InputError(
    `${formatLabel(name)} cannot be ${formatForError(value)}`,
    'Give the ID as the service shows it.',
  );
}

/** Joins the values of a list by commas (spec: Layouts, pages and components, `childIds`). */
const encodePathValue = (name: string, value: unknown): string =>
  Array.isArray(value) && value.length > 0
    ? value.map((one) => encodePathSegment(name, one)).join(',')
    : encodePathSegment(name, value);

/** @throws InputError for a missing or unsafe value */
export const fillPath = (endpoint: Endpoint, parameters: Record<string, unknown>): string =>
  endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => encodePathValue(name, parameters[name]));

/** Keys inside an object or a list are in brackets: `filters[items][0][val]` (spec: Filters, GET form). */
function listQueryEntries(value: unknown, key: string): Array<[string, string]> {
  if (value === undefined) return [];
  if (typeof value !== 'object' || value === null) return [[key, String(value ?? '')]];
  return Object.entries(value).flatMap(([name, entry]) => listQueryEntries(entry, `${key}[${name}]`));
}

/** Writes a space as `%20`, because not every server reads `+` as a space. */
const formatQuery = (query: object): string =>
  new URLSearchParams(Object.entries(query).flatMap(([key, value]) => listQueryEntries(value, key)))
    .toString()
    .replaceAll('+', '%20');

/**
 * @example
 * buildAddress(baseUrl, recordEndpoints.list, { path: { dataTableId: 'T1x9Kq' }, query: { page: 1 } });
 * // 'https://service.example/…/data-tables/T1x9Kq/records?page=1'
 * @param call `path`: the values of all path parameters, including `appId` for an endpoint of version 1.1
 * @throws InputError for a missing or unsafe path value
 */
export function buildAddress(
  baseUrl: string,
  endpoint: Endpoint,
  { path, query = {} }: { path: Record<string, unknown>; query?: object },
): string {
  const text = formatQuery(query);
  return baseUrl + fillPath(endpoint, path) + (text && `?${text}`);
}
