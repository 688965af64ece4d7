import { type CompositePart, type Field, getKind, listPartKeys, toPartField } from '../fields';
import { InputError } from '../input/inputError';
import { FieldNames } from './fieldNames';
import { createAmbiguousFieldError, createUnknownFieldError } from './unknownField';

/** Every record has this field, but `/full-fields-info` does not list it (spec: Record). */
const CREATED_AT: Field = {
  slug: 'created_at',
  fieldId: 'created_at',
  name: 'Created At',
  type: 'Date-Time',
  kind: 'dateTime',
  description: 'When the record was created',
  defaultValue: '',
  unique: false,
  computed: true,
  options: [],
};

/** A field of a table, or a part of a composite one. */
export interface FieldRef {
  table: Table;
  field: Field;
  part?: CompositePart;
}

/** Returns the field of a reference. A part is converted to a field. */
export const getValueField = ({ field, part }: FieldRef): Field => (part ? toPartField(field, part) : field);

/** The fields of a table. Unknown field names are errors here, because the service silently ignores them. */
export class Table {
  readonly fields: Field[];
  private readonly slugs: Set<string>;
  private readonly refs = new Map<string, FieldRef>();
  private names?: FieldNames;

  constructor(
    readonly id: string,
    fields: Field[],
  ) {
    this.fields = fields.some(({ slug }) => slug === CREATED_AT.slug) ? fields : [...fields, CREATED_AT];
    this.slugs = new Set(this.fields.map(({ slug }) => slug));
    // A slug has priority over the ID of another field, and both have priority over the parts of a composite.
    for (const field of this.fields) this.addRef(field.slug, { table: this, field });
    for (const field of this.fields) this.addRef(field.fieldId, { table: this, field });
    for (const field of this.fields)
      for (const part of getKind(field).parts ?? [])
        for (const name of [field.slug, field.fieldId])
          for (const key of listPartKeys(part, name)) this.addRef(key, { table: this, field, part });
  }

  private addRef(name: string, ref: FieldRef): void {
    if (name !== '' && !this.refs.has(name)) this.refs.set(name, ref);
  }

  /** Fields that a create or update can write. */
  get writableFields(): Field[] {
    return this.fields.filter(({ computed }) => !computed);
  }

  hasSlug(slug: string): boolean {
    return this.slugs.has(slug);
  }

  /**
   * Finds a field or a part by slug, field ID, `name[first_name]`, `name-first` or `term__start`, or else by its
   * name: an equal one, or one that differs in case and separators only (see `toFieldKey`).
   * @throws InputError for a name of several fields or parts
   */
  find(name: string): FieldRef | undefined {
    this.names ??= new FieldNames(this);
    const ref = this.refs.get(name);
    const [found, ...others] = ref ? [ref] : this.names.find(name);
    if (found && others.length > 0) throw createAmbiguousFieldError(this, name, [found, ...others]);
    return found;
  }

  /** Finds a whole field by the names that `find` accepts. */
  findField(name: string): Field | undefined {
    const ref = this.find(name);
    return ref?.part ? undefined : ref?.field;
  }

  /** Finds a whole field, for sort rules and columns. @throws InputError naming similar fields */
  field(name: string, where: string): Field {
    const field = this.findField(name);
    if (field) return field;
    const slugs = this.fields.map(({ slug }) => slug);
    throw createUnknownFieldError(this, name, where, slugs);
  }

  /** The slugs of fields, and the keys of parts. A field ID is similar to no name. */
  private listFilterNames(): string[] {
    const ids = new Set(this.fields.map(({ slug, fieldId }) => (slug === fieldId ? '' : fieldId)));
    return [...this.refs.keys()].filter((name) => !ids.has(name));
  }

  /**
   * Finds a field or part for a filter. @throws InputError if it is unknown or the service cannot filter by
   * it
   */
  resolveFilterField(name: string, where: string): FieldRef {
    const ref = this.find(name);
    if (!ref) throw createUnknownFieldError(this, name, where, this.listFilterNames());
    const id = ref.part ? ref.part.formatFilterId(ref.field.slug) : ref.field.slug;
    if (id === ref.field.slug || (id !== undefined && !this.hasSlug(id))) return ref;
    throw new InputError(
      `${where}: the service cannot filter by "${getValueField(ref).name}"`,
      id === undefined
        ? `Use ${ref.field.slug}, which is compared by its start. Nothing was sent.`
        : `A field of the table has the slug ${id}, which is the name of this part in filters. Nothing was sent.`,
    );
  }

  /** Finds a field or part for a payload. @throws InputError if it is unknown or calculated by the service */
  resolvePayloadField(key: string, where: string): FieldRef {
    const ref = this.find(key);
    if (ref?.field.computed) {
      throw new InputError(
        `${where}: "${ref.field.name}" is calculated by the service`,
        'Leave the column out: its value cannot be set.',
      );
    }
    if (!ref)
      throw createUnknownFieldError(
        this,
        key,
        where,
        this.writableFields.map(({ slug }) => slug),
      );
    return ref;
  }
}

/** Formats the `field_id` of a filter (spec: Filters). */
export const formatFilterId = ({ field, part }: FieldRef): string =>
  part?.formatFilterId(field.slug) ?? field.slug;

/** Formats the key of a field or part in a payload (spec: "Field-type value formats"). */
export const formatPayloadKey = ({ field, part }: FieldRef): string =>
  part?.formatKey(field.slug) ?? field.slug;
