import { formatForError, InputError, joinFirst } from '../input/inputError';
import { findSimilarNames } from '../input/names';
import { type FieldRef, formatPayloadKey, type Table } from './table';

/** Number of fields that an error message lists. */
const MAX_LISTED_FIELDS = 40;

/** A field that the table does not have. The cached fields of the table may be out of date. */
export class UnknownFieldError extends InputError {
  constructor(
    message: string,
    remedy: string,
    readonly table: Table,
  ) {
    super(message, remedy);
  }
}

/** Lists the first fields with their types, for an error message. */
function describeFields({ fields }: Table): string {
  const shown = fields.slice(0, MAX_LISTED_FIELDS).map(({ slug, type }) => `${slug} (${type})`);
  const more = fields.length - shown.length;
  return `The fields are: ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`;
}

/** A record has an ID, but the service lists no such field. Models and users write `id` in filters often. */
const ID_REMEDY =
  'A record ID is no field. To read, update or delete one record, use Get, Update or Delete with its Record ID.';

/** Creates the error for an unknown name. It suggests similar ones of `validNames`. */
export function createUnknownFieldError(
  table: Table,
  name: string,
  where: string,
  validNames: string[],
): UnknownFieldError {
  const similarNames = findSimilarNames(name, validNames).map((similarName) => formatForError(similarName));
  const similar = similarNames.length > 0 ? `Did you mean ${similarNames.join(' or ')}?` : '';
  const hint = /^\s*id\s*$/i.test(name) ? ID_REMEDY : similar;
  return new UnknownFieldError(
    `${where}: the table has no field ${formatForError(name)}`,
    `${hint} Nothing was sent. ${describeFields(table)}`.trim(),
    table,
  );
}

/** Creates the error for a name that several fields or parts have. It names each with its slug. */
export function createAmbiguousFieldError(table: Table, name: string, refs: FieldRef[]): UnknownFieldError {
  const names = refs.map(
    (ref) => `${formatForError(formatPayloadKey(ref))} (${formatForError(ref.field.name)})`,
  );
  return new UnknownFieldError(
    `${formatForError(name)} is the name of several fields: ${joinFirst(names)}`,
    `Nothing was sent. Give the slug of one of them: ${joinFirst(refs.map(formatPayloadKey))}.`,
    table,
  );
}
