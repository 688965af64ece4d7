import { type Field, getKind } from '../../shared/model/fields';
import { InputError } from '../../shared/model/input/inputError';
import type { Table } from '../../shared/model/records/table';

/** Whether the values of a field have a day and a time. */
export const isDateTimeField = (field: Field): boolean => getKind(field).findDay !== undefined;

/** @throws InputError if the table has no such field, or if its type is not Date-Time */
export function resolveDateField(table: Table, name: string): Field {
  const field = table.field(name, 'Date Field');
  if (isDateTimeField(field)) return field;
  throw new InputError(
    `Date Field: "${field.name}" is of the type ${field.type}`,
    'Choose a field of the type Date-Time, or find changes By Snapshot.',
  );
}
