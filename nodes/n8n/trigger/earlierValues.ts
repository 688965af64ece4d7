/**
 * The values that watched fields had before a change, which an item has under `_before`. They are stored as the service
 * returns them: `formatValues` when a record is seen, `findEarlierValues` when it has changed.
 */
import { isEmpty, omit } from 'lodash';
import { type Field, keepColumns, type RecordValues } from '../../records';

/** Maximum length of the JSON of one field. A longer value is not stored, and counts as unknown. */
const MAX_VALUE_LENGTH = 200;

/** The keys of one field in a record: `{ customer: […], customer_val: […] }`. */
const pickField = (record: RecordValues, slug: string, fields: Field[]): RecordValues =>
  omit(keepColumns(record, [slug], fields), 'id');

/**
 * Formats the values of the watched fields as JSON; '' if there are none.
 * @example
 * formatValues({ id: 'r', status: 'Open', note: 'a long text …' }, ['status', 'note'], fields); // '{"status":"Open"}'
 */
export function formatValues(record: RecordValues, slugs: string[], fields: Field[]): string {
  const stored = slugs
    .map((slug) => pickField(record, slug, fields))
    .filter((values) => JSON.stringify(values).length <= MAX_VALUE_LENGTH);
  const values: RecordValues = Object.assign({}, ...stored);
  return isEmpty(values) ? '' : JSON.stringify(values);
}

/**
 * Returns the earlier values of the fields, null for each that is not known.
 * @param text of `formatValues`; undefined or '' if nothing is known
 */
export function findEarlierValues(text: string | undefined, slugs: string[], fields: Field[]): RecordValues {
  const known = text ? (JSON.parse(text) as RecordValues) : {};
  const values = slugs.map((slug) => {
    const found = pickField(known, slug, fields);
    return isEmpty(found) ? { [slug]: null } : found;
  });
  return Object.assign({}, ...values) as RecordValues;
}
