/** The columns of a form of values: `listFormColumns` lists them. */
import { sortBy } from 'lodash';
import type { Field } from './field';
import type { MapperColumn } from './kind';
import { getKind } from './kinds';
import { encodeDefault } from './recordValues';
import { labelFields } from './table';

/** A column of a form: a field, or a part of one. */
interface FormColumn extends MapperColumn {
  field: Field;
  /** The configured default as a person writes it; '1' or '0' of a Decision Box. A unique field has none. */
  preset?: string;
}

/**
 * Lists the columns of a form for fields. A composite field has a column for each part, behind those of the other fields: the
 * parts would push these off the screen.
 * @example
 * listFormColumns(table.writableFields); // [{ key: 'company', label: 'Company', type: 'string', field: … }, …]
 */
export function listFormColumns(fields: Field[]): FormColumn[] {
  const sorted = sortBy(fields, (field) => getKind(field).parts !== undefined);
  return labelFields(sorted).flatMap(({ field, label }) =>
    getKind(field)
      .createColumns({ ...field, name: label })
      .map((column) => ({ ...column, field, preset: describeDefault(field, column.key) })),
  );
}

const findOptionLabel = ({ options }: Field, choice: unknown): string =>
  options.find(({ value }) => value === choice)?.label ?? String(choice);

function describeDefault(field: Field, key: string): string | undefined {
  const value = encodeDefault(field).find(([payloadKey]) => payloadKey === key)?.[1];
  if (value === undefined || field.unique) return undefined;
  return [value]
    .flat()
    .map((one) => findOptionLabel(field, one))
    .join(', ');
}
