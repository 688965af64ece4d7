import { closest } from './closest';
import { partFilterId, partKey, partsOf, type Field, type Part } from './fields';
import { InputError } from './inputError';

/** Every record has it, `/full-fields-info` does not list it (spec: Record). */
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

/** One thing a payload key or a filter can name: a field, or a part of a composite one. */
export interface Slot {
  field: Field;
  part?: Part;
}

/** A field that the table does not have, as far as its fields are known here. */
export class UnknownField extends InputError {
  constructor(
    message: string,
    remedy: string,
    readonly table: Table,
  ) {
    super(message, remedy);
  }
}

/** A table's fields with the look-ups that keep anything unknown from being sent. */
export class Table {
  readonly fields: Field[];
  private readonly bySlug = new Map<string, Slot>();
  private readonly byPayloadKey = new Map<string, Slot>();

  constructor(
    readonly id: string,
    fields: Field[],
  ) {
    this.fields = fields.some(({ slug }) => slug === CREATED_AT.slug) ? fields : [...fields, CREATED_AT];
    for (const field of this.fields) {
      for (const key of [field.slug, field.fieldId]) if (key) this.bySlug.set(key, { field });
      this.byPayloadKey.set(field.slug, { field });
      for (const part of partsOf(field) ?? []) {
        if (field.kind !== 'calendar') this.bySlug.set(partFilterId(field, part), { field, part });
        this.byPayloadKey.set(partKey(field, part), { field, part });
      }
    }
  }

  /** Fields that a create or update may carry. */
  get writable(): Field[] {
    return this.fields.filter(({ computed }) => !computed);
  }

  /** A field by slug or field id (sort, columns). @throws InputError naming the near matches. */
  field(name: string, where: string): Field {
    const slot = this.bySlug.get(name);
    if (!slot || slot.part)
      throw this.unknown(
        name,
        where,
        this.fields.map(({ slug }) => slug),
      );
    return slot.field;
  }

  /** A field, or a part such as `name-first`, by its name in filters. @throws InputError */
  filterSlot(name: string, where: string): Slot {
    const slot = this.bySlug.get(name);
    if (!slot) throw this.unknown(name, where, [...this.bySlug.keys()]);
    return slot;
  }

  /** A field, or a part such as `name[first_name]`, by its key in payloads. @throws InputError */
  payloadSlot(key: string, where: string): Slot {
    const slot = this.byPayloadKey.get(key);
    if (slot?.field.computed) {
      throw new InputError(
        `${where}: "${slot.field.name}" is worked out by the service`,
        'Leave the column out: its value cannot be set.',
      );
    }
    if (!slot)
      throw this.unknown(
        key,
        where,
        this.writable.map(({ slug }) => slug),
      );
    return slot;
  }

  private unknown(name: string, where: string, known: string[]): UnknownField {
    // People type the display name; the service wants the slug and drops what it does not know.
    const byName = this.fields.filter((field) => field.name.toLowerCase() === name.toLowerCase());
    const near = byName.length > 0 ? byName.map(({ slug }) => slug) : closest(name, known);
    const hint = near.length > 0 ? `Did you mean ${near.map((one) => `"${one}"`).join(' or ')}?` : '';
    return new UnknownField(
      `${where}: the table has no field "${name}"`,
      `${hint} Nothing was sent. Pick the field from the list, or use its slug.`.trim(),
      this,
    );
  }
}
