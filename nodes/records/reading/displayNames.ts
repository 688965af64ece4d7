/** The keys and the form of a record in an item. */
import type { Client } from '../../service';
import type { Field } from '../fields/field';
import { type RecordValues, keepColumns, listFieldKeys } from '../fields/recordValues';
import { type Table, listFieldLabels } from '../fields/table';
import { withKnownTexts } from './connectedTexts';
import { createSimplifier } from './simplifiedRecord';

/** Creates a function that converts records to this form. Without `table` it removes columns, and changes nothing else. */
export function createRecordShaper(
  { slugs = [], displayNames = false, simplified, client, onUnknownText }: RecordForm,
  table: Table | undefined,
): (record: RecordValues) => RecordValues {
  const getName = table && displayNames ? createNameReader(table) : undefined;
  const simplify = simplified && table && createSimplifier(table, getName, onUnknownText);
  return (record) => {
    const kept = slugs.length > 0 ? keepColumns(record, slugs, table?.fields ?? []) : record;
    const complete = simplify && client ? withKnownTexts(client, table, kept) : kept;
    const named = displayNames && table ? withDisplayNames(complete, table) : complete;
    return simplify ? simplify(named) : named;
  };
}

/**
 * Lists the fields of the table. `created_at` is not one of them: every record has it, and it keeps its key.
 */
const listNamedFields = ({ fields }: Table) => fields.filter(({ slug }) => slug !== 'created_at');

/** Keys that every record has, and those that nodes add, which begin with `_`. A field of this name would replace them. */
const OWN_KEY = /^(id$|created_at$|_)/;

/** Creates a function that names fields for keys. */
export function createNameReader(table: Table): (field: Field) => string {
  const fields = listNamedFields(table);
  const labels = listFieldLabels(fields);
  const label = ({ name, slug }: Field, index: number) =>
    OWN_KEY.test(name) ? `${name} [${slug}]` : (labels[index] ?? name);
  const names = new Map(fields.map((field, index) => [field.slug, label(field, index)]));
  return ({ slug }) => names.get(slug) ?? slug;
}

/**
 * Replaces the keys of a record by the names of its fields. If fields have the same name, or the name of a key that every
 * record has, their keys contain the slug too.
 */
export function withDisplayNames(record: RecordValues, table: Table): RecordValues {
  const getName = createNameReader(table);
  const names = new Map<string, string>();
  for (const field of listNamedFields(table)) {
    for (const key of listFieldKeys(record, { table, field }))
      names.set(key, `${getName(field)}${key.slice(field.slug.length)}`);
  }
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [names.get(key) ?? key, value]));
}

/** The form of a record in an item. */
interface RecordForm {
  /** The fields to keep; all of them if there are none. */
  slugs?: string[];
  /** Whether field names replace the keys. */
  displayNames?: boolean;
  /** Whether the record is made readable; see `createSimplifier`. */
  simplified: boolean;
  /** The client whose answers showed texts of connected records: those that a record lacks are added. */
  client?: Client;
  /** See `createSimplifier`. */
  onUnknownText?: (field: Field) => void;
}
