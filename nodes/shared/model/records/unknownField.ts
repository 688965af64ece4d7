import { findSimilarNames, toNameKey } from '../input/findSimilarNames';
import { InputError } from '../input/inputError';
import { Table } from './table';
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

/**
 * Creates the error for an unknown name. It suggests the fields with that name in another spelling, or similar ones of
 * `validNames`.
 */
export function createUnknownFieldError(
  table: Table,
  name: string,
  where: string,
  validNames: string[],
): UnknownFieldError {
  const byName = table.fields.filter((field) => toNameKey(field.name) === toNameKey(name));
  const similarNames =
    byName.length > 0 ? byName.map(({ slug }) => slug) : findSimilarNames(name, validNames);
  const hint =
    similarNames.length > 0
      ? `Did you mean ${similarNames.map((similarName) => `"${similarName}"`).join(' or ')}?`
      : '';
  return new UnknownFieldError(
    `${where}: the table has no field "${name.length > 80 ? `${name.slice(0, 77)}…` : name}"`,
    `${hint} Nothing was sent. ${describeFields(table)}`.trim(),
    table,
  );
}
