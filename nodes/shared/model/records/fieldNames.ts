import { type CompositePart, type Field, getKind } from '../fields';
import { toNameKey } from '../input/findSimilarNames';
import type { FieldRef, Table } from './table';

/** Lists the names of a part together with its field: "Name: First", "name first_name", "First Name". */
const listPartNames = ({ slug, name }: Field, { payload, filter, label }: CompositePart): string[] => [
  ...[payload, filter, label].flatMap((part) => [`${name} ${part}`, `${slug} ${part}`]),
  `${label} ${name}`,
];

/**
 * Indexes fields by their names in any spelling. A name that several fields or parts have refers to none of them. A
 * field takes precedence over a part. A part name with its field name takes precedence over a part name alone
 * (`city`).
 */
export class FieldNames {
  private readonly levels: Array<Map<string, FieldRef | undefined>>;

  constructor(table: Table) {
    const fields = table.fields.map((field): [FieldRef, string[]] => [
      { table, field },
      [field.slug, field.name],
    ]);
    const parts = table.fields.flatMap((field) =>
      (getKind(field).parts ?? []).map((part) => ({ table, field, part })),
    );
    this.levels = [
      fields,
      parts.map((ref): [FieldRef, string[]] => [ref, listPartNames(ref.field, ref.part)]),
      parts.map((ref): [FieldRef, string[]] => [ref, [ref.part.payload]]),
    ].map(createIndex);
  }

  /** Finds the field or part that alone has the name in any spelling. */
  find(name: string): FieldRef | undefined {
    const key = toNameKey(name);
    return key === '' ? undefined : this.levels.find((level) => level.has(key))?.get(key);
  }
}

/** Indexes references by the keys of their names. A key of several references has the value undefined. */
function createIndex(named: Array<[FieldRef, string[]]>): Map<string, FieldRef | undefined> {
  const index = new Map<string, FieldRef | undefined>();
  for (const [ref, names] of named)
    for (const key of new Set(names.map(toNameKey))) index.set(key, index.has(key) ? undefined : ref);
  return index;
}
