import type { EncodeContext, PayloadEntries, PayloadValue } from '../fields/field';
import { encodeValue } from '../fields/recordValues';
import { type Table, getValueField } from '../fields/table';
import { FormBody, type FormPart } from '../http/formBody';
import { InputError } from '../input/inputError';

/**
 * A payload in the form in which it is sent: JSON, or multipart if it contains a file (spec: General rules,
 * 2).
 */
type Payload =
  | { kind: 'json'; values: Record<string, PayloadValue> }
  | { kind: 'multipart'; entries: PayloadEntries };

/** Keys that turn a POST to `/records` into a list request or have another meaning there (spec: Records). */
const LIST_REQUEST_KEYS = new Set([
  'filters',
  'page',
  'limit',
  'order',
  'order_by',
  'sort_by',
  'columns',
  'fields',
  'display_names',
  'showequationlog',
]);

/** Whether a key of a new record means the link to a parent (spec: Linked record creation). */
const isLinkKey = ([key]: PayloadEntries[number]): boolean => /^connected_to(\[|$)/.test(key);

/** Whether a payload contains a file and must be sent as multipart (spec: Field-type value formats, File). */
const hasFiles = (entries: PayloadEntries) =>
  entries.some(([, value]) => Array.isArray(value) && typeof value[0] === 'object');

/**
 * Encodes values by slug or part (`name[first_name]`) for a create or update. `undefined` is left out; null
 * and '' clear the field.
 * @throws InputError for a key that the table does not have, or an invalid value
 */
export function encodeRecordValues(
  values: Record<string, unknown>,
  table: Table,
  context: EncodeContext,
): PayloadEntries {
  return Object.entries(values).flatMap(([key, value]): PayloadEntries => {
    if (value === undefined) return [];
    const field = getValueField(table.resolvePayloadField(key, 'Columns'));
    return encodeValue(value, field, context);
  });
}

/**
 * Chooses JSON or multipart. n8n does not send an empty JSON object, and the service reads a create with a
 * list key as a list request. Both are sent as multipart, which the service always reads as a record.
 * @throws InputError for a new record with a column `connected_to`: its value would be taken for the link and lost, in JSON
 *   and in multipart. Only tables with a field of this slug are concerned.
 */
export function createPayload(entries: PayloadEntries, purpose: 'create' | 'update' = 'create'): Payload {
  if (purpose === 'create' && entries.some(isLinkKey)) {
    throw new InputError(
      'A new record cannot take the column "connected_to": the service reads this key as the link to a parent',
      'Nothing was sent. Leave the column out, and write it with Update afterwards, or change its slug in the service.',
    );
  }
  const isReadAsList = purpose === 'create' && entries.some(([key]) => LIST_REQUEST_KEYS.has(key));
  const isAmbiguous = entries.length === 0 || isReadAsList;
  if (isAmbiguous || hasFiles(entries)) return { kind: 'multipart', entries };
  return { kind: 'json', values: Object.fromEntries(entries) };
}

/**
 * Converts entries to multipart fields: a list to repeated `slug[]` fields, null and an empty list to an
 * empty field (spec: form-data forms of the value table).
 */
export function toMultipartFields(entries: PayloadEntries): FormPart[] {
  return entries.flatMap(([key, value]): FormPart[] => {
    if (!Array.isArray(value)) return [[key, value === null ? '' : String(value)]];
    if (value.length === 0) return [[key, '']];
    return value.map((entry) => (typeof entry === 'object' ? [key, entry] : [`${key}[]`, entry]));
  });
}

/** A row of the sort form. Its values are not checked yet. */
export interface SortRule {
  field?: unknown;
  direction?: unknown;
}

const DIRECTIONS = new Map<string, 'asc' | 'desc'>([
  ...['asc', 'ascending'].map((word) => [word, 'asc'] as const),
  ...['desc', 'descending'].map((word) => [word, 'desc'] as const),
]);

/**
 * Builds `sort_by`, an array of {sort, by} (spec: Records). @throws InputError for an unknown field or
 * direction
 */
export function buildSortBy(rules: SortRule[], table: Table): Array<{ sort: string; by: 'asc' | 'desc' }> {
  return rules.map(({ field, direction: given }) => {
    const direction = DIRECTIONS.get(String(given).trim().toLowerCase());
    if (direction === undefined)
      throw new InputError(`Sort: the direction cannot be "${String(given)}"`, 'Choose asc or desc.');
    const name = String(field ?? '').trim();
    if (name === '') {
      throw new InputError(
        'Sort: a rule has no field',
        'Choose the field, or remove the rule. An expression may have returned nothing.',
      );
    }
    // The service cannot sort by a part of a composite; only filters have parts (spec: Filters).
    return { sort: table.field(name, 'Sort').slug, by: direction };
  });
}

/**
 * Formats `columns`, a list of slugs with commas. @throws InputError for a field that the table does not have
 */
export const formatColumnList = (names: string[], table: Table): string =>
  names.map((name) => table.field(name, 'Columns').slug).join(',');

/** Converts payload entries to a JSON body or to a form. */
export function toRequestBody(
  entries: PayloadEntries,
  purpose: 'create' | 'update' = 'create',
): Record<string, PayloadValue> | FormBody {
  const payload = createPayload(entries, purpose);
  return payload.kind === 'json' ? payload.values : new FormBody(toMultipartFields(payload.entries));
}
