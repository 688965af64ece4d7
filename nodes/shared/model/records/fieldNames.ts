import { type CompositePart, type Field, getKind } from '../fields';
import { NameIndex, toFieldKey } from '../input/names';
import type { FieldRef, Table } from './table';

/** Lists the names of a part together with its field: "Name: First", "name first_name", "name.first_name", "First Name". */
const listPartNames = ({ slug, name }: Field, { payload, filter, label }: CompositePart): string[] => [
  ...[name, slug].flatMap((field) =>
    [payload, filter, label].flatMap((part) => [' ', ': ', '.'].map((sign) => `${field}${sign}${part}`)),
  ),
  `${label} ${name}`,
];

/**
 * Finds fields by their names. A field takes precedence over a part. A part name with its field name takes precedence
 * over a part name alone (`city`).
 */
export class FieldNames {
  private readonly levels: Array<NameIndex<FieldRef>>;

  constructor(table: Table) {
    const createLevel = (refs: FieldRef[], listNames: (ref: FieldRef) => string[]) =>
      new NameIndex(refs, listNames, toFieldKey);
    const fields = table.fields.map((field): FieldRef => ({ table, field }));
    const parts = table.fields.flatMap((field) =>
      (getKind(field).parts ?? []).map((part) => ({ table, field, part })),
    );
    this.levels = [
      createLevel(fields, ({ field }) => [field.slug, field.name]),
      createLevel(parts, ({ field, part }) => (part ? listPartNames(field, part) : [])),
      createLevel(parts, ({ part }) => (part ? [part.payload] : [])),
    ];
  }

  /** Finds all fields or parts with the name. */
  find(name: string): FieldRef[] {
    const found = this.levels.map((level) => level.find(name));
    return found.find(({ length }) => length > 0) ?? [];
  }
}
